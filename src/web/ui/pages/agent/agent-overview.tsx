import { Stack } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { errorLineOf } from '@agent-control-plane/client/internal/error-line';
import type { AgentDetail, Deployment } from '@agent-control-plane/client';
import { WaitingNotice } from '../../components/command-list.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { exitText } from '../../components/last-exit.js';
import { isActive, phaseOf } from '../../components/lifecycle.js';
import { shortId } from '../../components/short-id.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { TwoLines } from '../../components/two-lines.js';
import { AgentFacts } from './agent-facts.js';
import { AgentNow } from './agent-now.js';
import classes from './agent-overview.module.css';
import { AgentTimeline } from './agent-timeline.js';
import { QuotaNotice } from './quota-notice.js';
import { UndeployedNotice, VersionChange } from './version-change.js';

/** Largest number of deployments whose waiting command is named here; others have them on their own pages. */
const MOST_SHOWN = 3;

const COLUMNS: readonly Column<Deployment>[] = [
  { key: 'id', header: 'Deployment', cell: ({ id }) => <code title={id}>…{shortId(id)}</code>, isName: true },
  { key: 'version', header: 'Version', align: 'right', cell: ({ config_version }) => config_version },
  { key: 'status', header: 'Status', cell: (it) => <StatusBadge status={phaseOf(it)} /> },
  {
    key: 'replicas',
    header: 'Ready',
    align: 'right',
    cell: ({ ready_replicas, replicas }) => `${ready_replicas} of ${replicas}`,
  },
  {
    key: 'restarts',
    header: 'Restarts',
    align: 'right',
    cell: ({ restart_count }) => restart_count || null,
  },
  { key: 'started', header: 'Started', cell: ({ started_at }) => <TimeAgo at={started_at} /> },
  { key: 'ended', header: 'Ended', cell: ({ ended_at }) => ended_at && <TimeAgo at={ended_at} /> },
  {
    key: 'error',
    header: 'Last error',
    isLong: true,
    cell: ({ error_message, last_exit }) => {
      const text = error_message ?? (last_exit && exitText(last_exit));
      return text && <TwoLines text={text}>{errorLineOf(text) ?? text}</TwoLines>;
    },
  },
];

export function AgentOverview({ agent }: { readonly agent: AgentDetail }) {
  const { deployments } = agent;
  return (
    <Stack gap="lg">
      {agent.description !== null && <p className={classes.description}>{agent.description}</p>}
      <QuotaNotice agentId={agent.id} />
      <div className={classes.waiting}>
        {deployments
          .filter(isActive)
          .slice(0, MOST_SHOWN)
          .map(({ id }) => (
            <WaitingNotice key={id} deploymentId={id} />
          ))}
      </div>
      <UndeployedNotice agent={agent} />
      <AgentNow agent={agent} />
      {deployments.length === 0 ? (
        <EmptyState icon={IconRocket} title="Not deployed yet">
          Press Deploy: the agent’s runtime then starts its command.
          {agent.last_heartbeat === null && ' No runtime has connected yet, so the command waits for one.'}
        </EmptyState>
      ) : (
        <VersionChange agent={agent} />
      )}
      <AgentTimeline agentId={agent.id} />
      {deployments.length > 0 && (
        <section aria-labelledby="deployments">
          <h2 id="deployments" className={classes.title}>
            Deployments
          </h2>
          <DataTable
            label="Deployments"
            columns={COLUMNS}
            rows={deployments}
            rowKey={({ id }) => id}
            rowLink={({ id }) => `/deployments/${id}`}
          />
        </section>
      )}
      <AgentFacts agent={agent} />
    </Stack>
  );
}
