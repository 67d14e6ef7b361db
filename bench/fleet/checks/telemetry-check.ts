import type { SimulatedAgent } from '../simulated-agent.js';
import type { Tally } from '../telemetry-source.js';
import type { Evidence, Violate } from './evidence.js';

export interface TelemetryCounts {
  readonly acknowledged: number;
  readonly unsure: number;
  readonly stored: number;
}

/** Every entry whose request was answered with 200 is there, once; none is there that was not sent. */
export async function checkTelemetry(
  { stage, fleet }: Evidence,
  kind: 'logs' | 'metrics',
  violate: Violate,
): Promise<TelemetryCounts> {
  const table = kind === 'logs' ? 'agent_logs' : 'agent_metrics';
  const { query, queryTelemetry = query } = stage;
  const rows = await queryTelemetry<{ agent_id: string; count: number; ahead: number }>(
    `SELECT agent_id, count(*)::int AS count,
       count(*) FILTER (WHERE "timestamp" > now() + interval '6 minutes')::int AS ahead
     FROM ${table} GROUP BY agent_id`,
  );
  const stored = new Map(rows.map((row) => [row.agent_id, row]));
  const sum = { acknowledged: 0, unsure: 0, stored: 0 };
  for (const agent of fleet.agents) {
    const row = stored.get(agent.identity.id);
    const tally = tallyOf(agent, kind);
    judge(`${kind} of ${agent.identity.id}`, tally, row?.count ?? 0, violate);
    if (row && row.ahead > 0) violate(`${kind} lie in the future`, `${row.ahead} of ${agent.identity.id}`);
    sum.acknowledged += tally.acknowledged;
    sum.unsure += tally.unsure;
    sum.stored += row?.count ?? 0;
  }
  return sum;
}

function tallyOf(agent: SimulatedAgent, kind: 'logs' | 'metrics'): Tally {
  return agent.telemetry[kind];
}

function judge(name: string, { acknowledged, unsure }: Tally, stored: number, violate: Violate): void {
  const told = `${name}: ${stored} stored, ${acknowledged} acknowledged, ${unsure} unanswered`;
  if (stored < acknowledged) violate('acknowledged entries are not there', told);
  if (stored > acknowledged + unsure) violate('entries are there that nobody sent', told);
}
