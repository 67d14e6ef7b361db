import { Stack, Text } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import type { AgentDetail, Deployment } from '@agent-control-plane/client';
import { CommandList, WaitingNotice } from '../../components/command-list.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { exitText } from '../../components/last-exit.js';
import { isActive, phaseOf } from '../../components/lifecycle.js';
import { shortId } from '../../components/short-id.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import classes from './agent-overview.module.css';
import { QuotaNotice } from './quota-notice.js';

/** Maximum number of deployments whose commands are listed here; others have them on their own pages. */
const MOST_SHOWN = 3;

const COLUMNS: readonly Column<Deployment>[] = [
  { key: 'id', header: 'Deployment', cell: ({ id }) => <code title={id}>…{shortId(id)}</code>, isName: true },
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
    cell: ({ error_message, last_exit }) => error_message ?? (last_exit && exitText(last_exit)),
  },
];

export function AgentOverview({ agent }: { readonly agent: AgentDetail }) {
  const { deployments } = agent;
  if (deployments.length === 0) {
    return (
      <EmptyState icon={IconRocket} title="It has not been deployed yet">
        Press Deploy above: the agent is then asked to start its command.
        {agent.last_heartbeat === null && ' It has never connected, so the command waits until it does.'}
      </EmptyState>
    );
  }
  const active = deployments.filter(isActive);
  const shown = (active.length > 0 ? active : deployments.slice(0, 1)).slice(0, MOST_SHOWN);
  return (
    <Stack gap="xl">
      <QuotaNotice agentId={agent.id} />
      <section aria-labelledby="deployments">
        <h2 id="deployments" className={classes.title}>
          Deployments
        </h2>
        {active.slice(0, MOST_SHOWN).map(({ id }) => (
          <WaitingNotice key={id} deploymentId={id} />
        ))}
        <DataTable
          label="Deployments"
          columns={COLUMNS}
          rows={deployments}
          rowKey={({ id }) => id}
          rowLink={({ id }) => `/deployments/${id}`}
        />
      </section>
      <section aria-labelledby="commands">
        <h2 id="commands" className={classes.title}>
          Commands
        </h2>
        <Stack>
          {shown.map(({ id }) => (
            <div key={id}>
              {shown.length > 1 && (
                <Text size="sm" c="dimmed" mb={4}>
                  of deployment <code>…{shortId(id)}</code>
                </Text>
              )}
              <CommandList deploymentId={id} label={`Commands of deployment ${shortId(id)}`} />
            </div>
          ))}
        </Stack>
      </section>
    </Stack>
  );
}
