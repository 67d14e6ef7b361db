import type { components, Deployment, MetricRecord } from '@agent-control-plane/client';

type UsageRow = components['schemas']['UsageReport']['rows'][number];

export interface Measured {
  readonly deployment: Pick<
    Deployment,
    'id' | 'agent_id' | 'agent_name' | 'replicas' | 'ready_replicas' | 'restart_count'
  >;
  /** Undefined: nothing was measured of it. */
  readonly metric: Pick<MetricRecord, 'cpu_usage' | 'memory_usage'> | undefined;
}

/** A row of `svc top`: the present use of an agent's replicas, its tokens and their cost. */
export interface TopRow {
  readonly agent_id: string;
  readonly agent_name: string;
  readonly ready_replicas: number;
  readonly replicas: number;
  readonly restart_count: number;
  /** Null: none of its deployments measures it. */
  readonly cpu_usage: number | null;
  readonly memory_usage: number | null;
  readonly tokens: number;
  readonly cost_usd: string;
}

export const SORTS = ['cpu', 'memory', 'restarts', 'tokens', 'cost', 'name'] as const;
export type Sorting = (typeof SORTS)[number];

const AMOUNTS: Readonly<Record<Exclude<Sorting, 'name'>, (row: TopRow) => number>> = {
  cpu: ({ cpu_usage: cpu }) => cpu ?? -1,
  memory: ({ memory_usage: memory }) => memory ?? -1,
  restarts: ({ restart_count: restarts }) => restarts,
  tokens: ({ tokens }) => tokens,
  cost: ({ cost_usd: cost }) => Number(cost),
};

/** One row for each agent, in the order of the deployments. Pure. */
export function topRows(measured: readonly Measured[], usage: readonly UsageRow[]): TopRow[] {
  const usedBy = new Map(usage.map((row) => [row.agent_id, row]));
  const agents = [...new Set(measured.map(({ deployment }) => deployment.agent_id))];
  return agents.map((agent_id) => {
    const ofAgent = measured.filter(({ deployment }) => deployment.agent_id === agent_id);
    const { agent_name } = ofAgent[0]!.deployment;
    const used = usedBy.get(agent_id);
    const sum = (of: (it: Measured['deployment']) => number) =>
      ofAgent.reduce((total, { deployment }) => total + of(deployment), 0);
    return {
      agent_id,
      agent_name,
      ready_replicas: sum((it) => it.ready_replicas),
      replicas: sum((it) => it.replicas),
      restart_count: sum((it) => it.restart_count),
      cpu_usage: sumOfKnown(ofAgent.map(({ metric }) => metric?.cpu_usage)),
      memory_usage: sumOfKnown(ofAgent.map(({ metric }) => metric?.memory_usage)),
      tokens: used ? tokensOf(used) : 0,
      cost_usd: used?.cost_usd ?? '0.000000',
    };
  });
}

/** The most first; rows with the same amount, and all rows with `name`, by name. Pure. */
export function sorted(rows: readonly TopRow[], sort: Sorting): TopRow[] {
  const amountOf = sort === 'name' ? () => 0 : AMOUNTS[sort];
  return rows.toSorted(
    (one, other) => amountOf(other) - amountOf(one) || one.agent_name.localeCompare(other.agent_name),
  );
}

function tokensOf(row: UsageRow): number {
  return row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens;
}

function sumOfKnown(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => typeof value === 'number');
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
