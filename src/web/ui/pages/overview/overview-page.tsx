import { SimpleGrid, Stack } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { Navigate } from 'react-router';
import type { Overview } from '@agent-control-plane/client';
import { useOverview } from '../../api/overview.js';
import { useHasSharedProjects, useProjects } from '../../api/projects.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { NewAgentButton } from '../../components/new-agent-button.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { TimeAgo } from '../../components/time-ago.js';
import { eventLabel } from './event-label.js';
import { Count, Counts } from './counts.js';
import { Spending } from './spending.js';
import { Attention, type AttentionItem } from './attention.js';

const HEALTH = ['failing', 'degraded', 'offline', 'paused', 'progressing', 'healthy', 'idle'];
const CONNECTIONS = ['online', 'offline', 'never_connected'];
/** Of runs that have not ended. */
const RUN_STATUSES = ['queued', 'running', 'waiting'];
/** Statuses of the runs that are counted as failed. */
const UNSUCCESSFUL = 'failed,timed_out,abandoned';
const STATUSES = ['deploying', 'running', 'ready', 'failed', 'stopped', 'killed'];

/** The home page. Users who are alone and have no agent see the guide to their first one instead. */
export function OverviewPage() {
  const { data, error, refetch } = useOverview();
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
          What happens to the agents of the project is shown here.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Overview" actions={<NewAgentButton />} />
      <Counts title="Agents by health" counts={data.agents_by_health} keys={HEALTH} path="/agents?health=" />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" mt="md">
        <Spending spending={data.spending} />
        <Counts
          title="Runs that have not ended"
          counts={data.runs_by_status}
          keys={RUN_STATUSES}
          path="/runs?status="
        />
      </SimpleGrid>
      <Lists overview={data} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" mt="md">
        <Counts
          title="Agents by connection"
          counts={data.agents_by_connection}
          keys={CONNECTIONS}
          path="/agents?connection="
        />
        <Counts
          title="Deployments by status"
          counts={data.deployments_by_status}
          keys={STATUSES}
          path="/deployments?status="
        />
      </SimpleGrid>
    </>
  );
}

function Lists({ overview }: { readonly overview: Overview }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" mt="md" style={{ alignItems: 'start' }}>
      <Stack gap="md">
        <Attention
          title="Failures of the last day"
          count={
            <Count
              to="/deployments?failed=24h"
              label="Failures in the last day, and their deployments"
              value={overview.failures}
            />
          }
          nothing="No deployment failed."
          items={overview.newest_failures.map((failure) => ({
            key: `${failure.deployment_id} ${failure.created_at}`,
            to: failure.agent_name === null ? null : `/deployments/${failure.deployment_id}`,
            name: failure.agent_name ?? 'A removed agent',
            text: failure.error_message ?? eventLabel(failure.event_type),
            at: <TimeAgo at={failure.created_at} />,
          }))}
        />
        <Attention
          title="Agents whose runs fail, or wait for more than ten minutes"
          count={
            <Count
              to={`/runs?status=${UNSUCCESSFUL}&range=24h`}
              label="Failed runs of the last day"
              value={overview.failed_runs}
            />
          }
          nothing="No run failed or waits for long."
          items={[
            ...overview.agents_with_failed_runs.map((agent) => runsOf(agent, 'failed')),
            ...overview.agents_with_waiting_runs.map((agent) => runsOf(agent, 'queued')),
          ]}
        />
      </Stack>
      <Stack gap="md">
        <Attention
          title="Agents that fell silent"
          count={
            <Count
              to="/agents?connection=offline&sort=-last_heartbeat"
              label="Offline agents"
              value={overview.agents_by_connection.offline ?? 0}
            />
          }
          nothing="No agent fell silent."
          items={overview.silent_agents.map((agent) => ({
            key: agent.agent_id,
            to: `/agents/${agent.agent_id}`,
            name: agent.agent_name,
            at: <TimeAgo at={agent.last_seen_at} />,
          }))}
        />
        <Attention
          title="Commands that wait for more than a minute"
          count={
            <Count
              to="/deployments?waiting=true"
              label="Deployments with commands that wait"
              value={overview.waiting_commands}
            />
          }
          nothing="No command waits."
          items={overview.oldest_waiting_commands.map((command) => ({
            key: command.command_id,
            to: `/deployments/${command.deployment_id}?tab=commands`,
            name: command.agent_name,
            text: eventLabel(command.action),
            at: <TimeAgo at={command.created_at} />,
          }))}
        />
        <Attention
          title="Webhooks that fail"
          count={<Count to="/webhooks" label="Webhooks" value={overview.failing_webhooks.length} />}
          nothing="The last deliveries of all webhooks succeeded."
          items={overview.failing_webhooks.map((webhook) => ({
            key: webhook.webhook_id,
            to: `/webhooks/${webhook.webhook_id}`,
            name: webhook.url,
            text: webhook.error_message ?? 'Failing',
            at: <TimeAgo at={webhook.failing_since} />,
          }))}
        />
      </Stack>
    </SimpleGrid>
  );
}

function runsOf(
  { agent_id, agent_name, runs, at }: Overview['agents_with_failed_runs'][number],
  status: 'failed' | 'queued',
): AttentionItem {
  return {
    key: `${agent_id} ${status}`,
    to: `/runs?agent=${agent_id}&status=${status === 'queued' ? status : `${UNSUCCESSFUL}&range=24h`}`,
    name: agent_name,
    text: `${status === 'failed' ? 'Failed' : 'Waiting'}: ${runs.toLocaleString('en')}`,
    at: <TimeAgo at={at} />,
  };
}
