import { IconRobot } from '@tabler/icons-react';
import { Navigate } from 'react-router';
import { useOverview, useOverviewDay } from '../../api/overview.js';
import { useHasSharedProjects, useProjects } from '../../api/projects.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { NewAgentButton } from '../../components/new-agent-button.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { Counts } from './counts.js';
import { NeedsYou } from './needs-you.js';
import { LastDay } from './last-day.js';
import classes from './overview.module.css';

const HEALTH = ['failing', 'degraded', 'offline', 'paused', 'progressing', 'healthy', 'idle'];
/** Statuses of runs that have not ended. */
const RUN_STATUSES = ['queued', 'running', 'waiting'];

/** The home page: what needs a person, and how it goes. Users who are alone and have no agent see the guide to their first one instead. */
export function OverviewPage() {
  const { data, error, refetch } = useOverview();
  const day = useOverviewDay();
  const { isPending } = useProjects();
  const hasProjects = useHasSharedProjects();
  if (!data && error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data || isPending) return <Pending />;
  const agents = Object.values(data.agents_by_health).reduce((sum, count) => sum + count, 0);
  if (agents === 0 && !hasProjects) return <Navigate to="/welcome" replace />;
  if (agents === 0) {
    return (
      <>
        <PageHeader title="Overview" />
        <EmptyState icon={IconRobot} title="No agents yet" action={<NewAgentButton />}>
          Activity of the project’s agents appears here.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Overview" actions={<NewAgentButton />} />
      <div className={classes.strip}>
        <Counts
          title="Agents by health"
          counts={data.agents_by_health}
          keys={HEALTH}
          path="/agents?health="
        />
      </div>
      <div className={classes.columns}>
        <NeedsYou overview={data} />
        <section className={classes.column} aria-label="How it goes">
          <LastDay overview={data} hours={day.data?.hours ?? []} />
          <Counts
            title="Runs that have not ended"
            counts={data.runs_by_status}
            keys={RUN_STATUSES}
            path="/runs?status="
          />
        </section>
      </div>
    </>
  );
}
