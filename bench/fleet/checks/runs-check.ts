import type { Evidence, Violate } from './evidence.js';

interface RunRow {
  readonly id: string;
  readonly agent_id: string;
  readonly status: string;
}

/** How the runs ended. */
export interface RunCounts {
  asked: number;
  succeeded: number;
  failed: number;
  queued: number;
  /** Given up by the service: the reply to the claim was lost, and its agent started again without the run. */
  abandoned: number;
}

/** Each run that was agreed to is there once; what an agent began was given to it alone, and ended as it reported. */
export async function checkRuns({ stage, fleet }: Evidence, violate: Violate): Promise<RunCounts> {
  const { traces } = fleet.runs;
  const rows = await stage.query<RunRow>('SELECT id, agent_id, status FROM runs');
  const counts: RunCounts = { asked: rows.length, succeeded: 0, failed: 0, queued: 0, abandoned: 0 };
  for (const { id, agent_id: agentId, status } of rows) {
    const trace = traces.get(id);
    const name = `${id} is ${status}`;
    if (!trace) {
      // A person whose reply was lost asks again under the same key, so the run would have a trace.
      if (status !== 'queued') violate('a run that nobody asked for', name);
      continue;
    }
    if (trace.askedOf !== null && trace.askedOf !== agentId) violate('a run of another agent', name);
    if (trace.agentId !== null && trace.agentId !== agentId) violate('a run went to another agent', name);
    if (trace.isAnswered && status !== trace.end) violate('a run did not end as it was reported', name);
    if (status === 'abandoned' && trace.isAnswered) violate('a run with a real end is abandoned', name);
    if ((status === 'succeeded' || status === 'failed') && trace.takenAt === null)
      violate('a run has an end, and no agent has begun it', name);
    if (status in counts) counts[status as keyof RunCounts]++;
  }
  const stored = new Set(rows.map(({ id }) => id));
  for (const id of traces.keys()) if (!stored.has(id)) violate('a run that does not exist', id);
  return counts;
}

/** Runs that an agent has, as the service says. None once everything is settled. */
export async function heldRuns({ stage }: Evidence): Promise<number> {
  const [row] = await stage.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM runs WHERE status IN ('running', 'waiting')`,
  );
  return row?.count ?? 0;
}
