import type { OwnDeployment } from '../command-runner.js';
import type { Evidence } from './evidence.js';

interface DeploymentRow {
  readonly id: string;
  readonly agent_id: string;
  readonly status: string;
  readonly replicas: number;
  readonly ready_replicas: number;
  readonly generation: number;
  readonly observed_generation: number | null;
}

/** Deployments whose status in the service differs from their runtime's. None once everything is settled. */
export async function differingStatuses({ stage, fleet }: Evidence): Promise<string[]> {
  const rows = await stage.query<DeploymentRow>(
    `SELECT id, agent_id, status, replicas, ready_replicas, generation, observed_generation FROM deployments`,
  );
  const agents = new Map(fleet.agents.map((agent) => [agent.identity.id, agent]));
  return rows.flatMap((row) => {
    const own = agents.get(row.agent_id)?.commands.deployments.get(row.id);
    const wanted = own ? expectation(own) : 'never heard of by its agent';
    const found =
      `${row.status}, generation ${row.generation}, observed ${row.observed_generation}` +
      (row.status === 'ready' ? `, ${row.ready_replicas} of ${row.replicas} ready` : '');
    return found === wanted ? [] : [`${row.id} is ${found}; its runtime: ${wanted}`];
  });
}

/** Commands that are neither done nor given up. */
export async function dueCommands({ stage }: Evidence): Promise<number> {
  const [row] = await stage.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM commands WHERE settled_at IS NULL',
  );
  return row?.count ?? 0;
}

function expectation({ phase, replicas, generation }: OwnDeployment): string {
  const ready = phase === 'ready' ? `, ${replicas} of ${replicas} ready` : '';
  return `${phase}, generation ${generation}, observed ${generation}${ready}`;
}
