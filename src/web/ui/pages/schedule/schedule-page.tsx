import { Text } from '@mantine/core';
import { IconCalendarOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import type { ScheduleDetail } from '@agent-control-plane/client';
import { useRun } from '../../api/runs.js';
import { useSchedule } from '../../api/schedules.js';
import { EntityId } from '../../components/entity-id.js';
import { JsonView } from '../../components/json-view.js';
import { PageHeader } from '../../components/page-header.js';
import { ProjectFact } from '../../components/project-name.js';
import { ResourcePage } from '../../components/resource-page.js';
import { statusWord } from '../../components/run-words.js';
import { clockText } from '../../components/schedule-words.js';
import { shortId } from '../../components/short-id.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TextWithTimes } from '../../components/text-with-times.js';
import { TimeAgo } from '../../components/time-ago.js';
import { DueTimes } from './due-times.js';
import { ScheduleActions } from './schedule-actions.js';
import { ScheduleFacts } from './schedule-facts.js';
import classes from './schedule-page.module.css';

const BACK = { to: '/schedules', label: 'Schedules' };

export function SchedulePage() {
  const { id = '' } = useParams();
  return (
    <ResourcePage
      noun="Schedule"
      back={BACK}
      query={useSchedule(id)}
      missingIcon={IconCalendarOff}
      missingReason="It may have been deleted; runs that it started are still there."
    >
      {(schedule) => <Loaded key={id} schedule={schedule} />}
    </ResourcePage>
  );
}

function Loaded({ schedule }: { readonly schedule: ScheduleDetail }) {
  return (
    <>
      <PageHeader
        title={schedule.name ?? `Schedule ${shortId(schedule.id)}`}
        back={BACK}
        badge={
          <span role="status">
            <StatusBadge status={schedule.is_active ? 'active' : 'paused'} />
          </span>
        }
        actions={<ScheduleActions schedule={schedule} />}
      >
        <span>
          Agent{' '}
          <Link to={`/agents/${schedule.agent_id}?tab=schedules`} className={classes.link}>
            {schedule.agent_name}
          </Link>
        </span>
        <ProjectFact id={schedule.project_id} />
        <EntityId id={schedule.id} what="schedule id" />
      </PageHeader>
      <div className={classes.page}>
        <Section title="Next times">
          <p className={classes.clock}>{clockText(schedule)}</p>
          <DueTimes schedule={schedule} />
        </Section>
        <Section title="Last run">
          <LastRun run={schedule.last_run} />
        </Section>
        <ScheduleFacts schedule={schedule} />
        <Section title="Input">
          {schedule.input === null ? (
            <Text size="sm" c="dimmed">
              Its runs have no input.
            </Text>
          ) : (
            <JsonView value={schedule.input} what="input" />
          )}
        </Section>
      </div>
    </>
  );
}

function LastRun({ run }: { readonly run: ScheduleDetail['last_run'] }) {
  if (run === null) {
    return (
      <Text size="sm" c="dimmed">
        It has not started a run yet.
      </Text>
    );
  }
  return (
    <>
      <p className={classes.last}>
        <Link to={`/runs/${run.id}`} className={classes.link}>
          Run …{shortId(run.id)}
        </Link>
        <StatusBadge status={run.status} label={statusWord(run.status)} />
        <TimeAgo at={run.queued_at} />
      </p>
      {run.status === 'queued' && <WaitingReason runId={run.id} />}
    </>
  );
}

/** Why the run waits; the schedule does not say it. */
function WaitingReason({ runId }: { readonly runId: string }) {
  const reason = useRun(runId).data?.waiting_reason;
  if (!reason) return null;
  return (
    <Text size="sm" c="dimmed" mt={6}>
      It waits: <TextWithTimes text={reason} />
    </Text>
  );
}

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

function Section({ title, children }: SectionProps) {
  return (
    <section className={classes.section}>
      <h2 className={classes.title}>{title}</h2>
      {children}
    </section>
  );
}
