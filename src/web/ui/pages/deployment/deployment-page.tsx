import { Tabs } from '@mantine/core';
import { IconAlertTriangle, IconRocketOff, IconTerminal2 } from '@tabler/icons-react';
import { Suspense } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import type { Deployment } from '@agent-control-plane/client';
import { useDeployment } from '../../api/deployments.js';
import { useFollowedProject } from '../../app/live-updates.js';
import { CommandList, useCommands, WaitingNotice } from '../../components/command-list.js';
import { EntityId } from '../../components/entity-id.js';
import { EmptyState } from '../../components/empty-state.js';
import { DeploymentLogs } from '../../components/agent-logs.js';
import { phaseOf } from '../../components/lifecycle.js';
import { UsageCharts } from '../../components/lazy-charts.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { ProjectFact } from '../../components/project-name.js';
import { ResourcePage } from '../../components/resource-page.js';
import { StatusBadge } from '../../components/status-badge.js';
import { DeploymentActions } from './deployment-actions.js';
import { DeploymentFacts } from './deployment-facts.js';
import { DeploymentTimeline } from './deployment-timeline.js';
import classes from './deployment-page.module.css';

/** Charts, loaded lazily because only they need the chart library. */
const BACK = { to: '/deployments', label: 'Deployments' };

export function DeploymentPage() {
  const { id = '' } = useParams();
  return (
    <ResourcePage
      noun="Deployment"
      back={BACK}
      query={useDeployment(id)}
      missingIcon={IconRocketOff}
      missingReason="It may have been deleted together with its agent."
    >
      {(deployment) => <Loaded key={id} deployment={deployment} />}
    </ResourcePage>
  );
}

function Loaded({ deployment }: { readonly deployment: Deployment }) {
  useFollowedProject(deployment.project_id);
  const section = useSection();
  const agentName = deployment.agent_name;
  return (
    <>
      <PageHeader
        title={`Deployment of ${agentName}`}
        back={BACK}
        badge={
          <span role="status">
            <StatusBadge status={phaseOf(deployment)} />
          </span>
        }
        actions={<DeploymentActions deployment={deployment} agentName={agentName} />}
      >
        <span>
          Agent{' '}
          <Link to={`/agents/${deployment.agent_id}`} className={classes.link}>
            {agentName}
          </Link>
        </span>
        <ProjectFact id={deployment.project_id} />
        <EntityId id={deployment.id} what="deployment id" />
      </PageHeader>
      {deployment.error_message && (
        <div className={classes.failure} role="status">
          <IconAlertTriangle size={18} aria-hidden />
          <div>
            <h2 className={classes.failureTitle}>Why it failed</h2>
            {/* focusable, so that it can be scrolled by keyboard */}
            <p className={classes.failureText} tabIndex={0} role="group" aria-label="Error message">
              {deployment.error_message}
            </p>
          </div>
        </div>
      )}
      <WaitingNotice deploymentId={deployment.id} />
      <DeploymentFacts deployment={deployment} isShort={section !== 'timeline'} />
      <Sections deployment={deployment} />
    </>
  );
}

const SECTIONS = ['timeline', 'commands', 'logs', 'usage'] as const;

/** The tab in the address. */
function useSection(): (typeof SECTIONS)[number] {
  const [search] = useSearchParams();
  return SECTIONS.find((it) => it === search.get('tab')) ?? 'timeline';
}

/** Tabs; the selected one is in the page's address, so that it can be bookmarked and shared. */
function Sections({ deployment }: { readonly deployment: Deployment }) {
  const [, setSearch] = useSearchParams();
  const { data: commands } = useCommands(deployment.id);
  const waiting = commands?.filter((command) => command.waiting_reason !== null).length ?? 0;
  const section = useSection();
  const show = (wanted: string | null) =>
    setSearch(wanted === 'timeline' || wanted === null ? {} : { tab: wanted }, { replace: true });
  return (
    <Tabs value={section} onChange={show} keepMounted={false}>
      <Tabs.List mb="md" className={classes.tabs}>
        <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
        <Tabs.Tab value="commands">Commands{waiting > 0 && ` (${waiting} waiting)`}</Tabs.Tab>
        <Tabs.Tab value="logs">Logs</Tabs.Tab>
        <Tabs.Tab value="usage">Usage</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="timeline">
        <DeploymentTimeline deploymentId={deployment.id} />
      </Tabs.Panel>
      <Tabs.Panel value="commands">
        {commands?.length === 0 ? (
          <EmptyState icon={IconTerminal2} title="No commands left">
            Commands are deleted some time after they were carried out.
          </EmptyState>
        ) : (
          <CommandList deploymentId={deployment.id} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="logs">
        <DeploymentLogs deployment={deployment} />
      </Tabs.Panel>
      <Tabs.Panel value="usage">
        <Suspense fallback={<Pending rows={2} height={230} />}>
          <UsageCharts
            basePath={`/api/dashboard/deployments/${deployment.id}`}
            agentId={deployment.agent_id}
          />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
