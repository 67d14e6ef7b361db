import { Select } from '@mantine/core';
import { useMemo } from 'react';
import type { AgentDetail, Deployment } from '@agent-control-plane/client';
import type { SharedStream } from '../api/live.js';
import { withQuery } from '../api/request.js';
import { announcing } from '../api/stream-part.js';
import type { LogRow } from './log-buffer.js';
import { useLogFilter } from './log-filter.js';
import { LogViewer } from './log-viewer.js';
import { shortId } from './short-id.js';

/** Log of an agent, of all of its deployments or of one. */
export function AgentLogs({ agent }: { readonly agent: AgentDetail }) {
  const [filter, change] = useLogFilter();
  const chosen = agent.deployments.find(({ id }) => id === filter.deployment);
  return (
    <LogViewer pathsOf={(query, { deployment }) => pathsOf(agent.id, deployment, query)}>
      {agent.deployments.length > 0 && (
        <Select
          size="xs"
          flex="1 1 8rem"
          maw={190}
          aria-label="Deployment"
          placeholder="All deployments"
          clearable
          data={agent.deployments.map(({ id, status }) => ({
            value: id,
            label: `${shortId(id)} (${status})`,
          }))}
          value={chosen?.id ?? null}
          onChange={(deployment) => change({ deployment, replica: null })}
        />
      )}
      {chosen && <ReplicaSelect deployment={chosen} />}
    </LogViewer>
  );
}

/** Log of a deployment, of all of its replicas or of one. */
export function DeploymentLogs({ deployment }: { readonly deployment: Deployment }) {
  return (
    <LogViewer pathsOf={(query) => pathsOf(deployment.agent_id, deployment.id, query)}>
      <ReplicaSelect deployment={deployment} />
    </LogViewer>
  );
}

/** Shortest time between two reads of a filtered log of a run; milliseconds. */
const FILTERED_MS = 1_000;

export interface RunLogsProps {
  readonly runId: string;
  /** New lines of the run; null: no more will come. */
  readonly stream: SharedStream<LogRow> | null;
}

/** Log lines of the agent with the id of a run. */
export function RunLogs({ runId, stream }: RunLogsProps) {
  const filtered = useMemo(() => stream && announcing(stream, FILTERED_MS), [stream]);
  return (
    <LogViewer
      pathsOf={({ since, until, ...filter }) => ({
        historyPath: withQuery(`/api/dashboard/runs/${runId}/logs`, { ...filter, since, until }),
        stream: Object.keys(filter).length > 0 ? filtered : stream,
        isEnded: stream === null,
      })}
    />
  );
}

function pathsOf(agentId: string, deploymentId: string | null, query: object) {
  const owner = deploymentId === null ? `agents/${agentId}` : `deployments/${deploymentId}`;
  const { since, until, ...followed } = query as Record<string, string>;
  return {
    historyPath: withQuery(`/api/dashboard/${owner}/logs`, { ...followed, since, until }),
    stream: withQuery(`/api/dashboard/agents/${agentId}/logs/stream`, {
      ...followed,
      deployment_id: deploymentId ?? undefined,
    }),
  };
}

/** Choice of one replica; hidden if there is at most one. */
function ReplicaSelect({ deployment }: { readonly deployment: Deployment }) {
  const [{ replica }, change] = useLogFilter();
  // after a scale-down, the log still has lines of removed replicas
  const count = Math.max(deployment.replicas, Number(replica ?? -1) + 1);
  if (count < 2 && replica === null) return null;
  return (
    <Select
      size="xs"
      flex="1 1 7rem"
      maw={130}
      aria-label="Replica"
      placeholder="All replicas"
      clearable
      data={Array.from({ length: count }, (_, index) => ({
        value: String(index),
        label: `Replica ${index}`,
      }))}
      value={replica}
      onChange={(value) => change({ replica: value })}
    />
  );
}
