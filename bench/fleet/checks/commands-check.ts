import { type CommandTrace, purposeOf } from '../command-ledger.js';
import type { Evidence, Violate } from './evidence.js';

interface CommandRow {
  readonly id: string;
  readonly agent_id: string;
  readonly deployment_id: string;
  readonly action: string;
  readonly generation: number;
  readonly state: 'pending' | 'leased' | 'succeeded' | 'failed' | 'dead' | 'superseded';
  readonly attempts: number;
}

/** How the commands ended. */
export interface CommandCounts {
  readonly wanted: number;
  succeeded: number;
  failed: number;
  dead: number;
  superseded: number;
  due: number;
  executedOnce: number;
  /** Replies that held a command, beyond one for each. */
  deliveredAgain: number;
  /** Acknowledgements beyond the first. */
  acknowledgedAgain: number;
}

/**
 * Each wish became one command; each command is done, dead or due; what is done was carried out once, and ended as
 * the first acknowledgement said.
 */
export async function checkCommands(evidence: Evidence, violate: Violate): Promise<CommandCounts> {
  const { stage, driver, fleet } = evidence;
  const { traces } = fleet.ledger;
  const rows = await stage.query<CommandRow>(
    'SELECT id, agent_id, deployment_id, action, generation, state, attempts FROM commands',
  );
  const counts: CommandCounts = {
    ...{ wanted: driver.wishes.length, succeeded: 0, failed: 0, dead: 0, superseded: 0, due: 0 },
    ...{ executedOnce: 0, deliveredAgain: 0, acknowledgedAgain: 0 },
  };
  const purposes = new Set<string>();
  for (const row of rows) {
    const purpose = purposeOf(row.deployment_id, row.action, row.generation);
    if (purposes.has(purpose)) violate('two commands for one wish', purpose);
    if (!driver.byPurpose.has(purpose)) violate('a command that nobody asked for', purpose);
    purposes.add(purpose);
    counts[row.state === 'pending' || row.state === 'leased' ? 'due' : row.state]++;
    judge(row, traces.get(row.id), counts, violate);
  }
  for (const purpose of driver.byPurpose.keys()) {
    if (!purposes.has(purpose)) violate('a wish without its command', purpose);
  }
  const stored = new Set(rows.map(({ id }) => id));
  for (const [id, trace] of traces) {
    if (!stored.has(id))
      violate('a command was delivered that does not exist', `${trace.command.action} ${id}`);
  }
  return counts;
}

function judge(
  row: CommandRow,
  trace: CommandTrace | undefined,
  counts: CommandCounts,
  violate: Violate,
): void {
  const name = `${row.action} ${row.id} is ${row.state}`;
  const executions = trace?.executions ?? 0;
  counts.deliveredAgain += Math.max(0, (trace?.deliveries ?? 0) - 1);
  counts.acknowledgedAgain += trace?.duplicates ?? 0;
  if (trace && trace.agentId !== row.agent_id) violate('a command went to another agent', name);
  if (executions > 1) violate('a command was carried out more than once', name);
  switch (row.state) {
    case 'succeeded':
    case 'failed':
      if (executions === 1) counts.executedOnce++;
      else violate('a command is done and was not carried out once', `${name}: ${executions} times`);
      judgeAcknowledgements(row, trace, violate);
      break;
    case 'superseded':
      if (executions > 0 || row.attempts > 0) violate('a command was superseded after its delivery', name);
      break;
    case 'dead':
      if (row.attempts < 5) violate('a command was given up before its fifth lease', name);
      break;
    case 'pending':
    case 'leased':
      if (trace?.acknowledgedAt) violate('an acknowledged command is due', name);
      break;
  }
}

function judgeAcknowledgements(row: CommandRow, trace: CommandTrace | undefined, violate: Violate): void {
  if (!trace) return;
  const { firsts, unsure, duplicates } = trace;
  const name = `${row.action} ${row.id}: ${firsts.length} firsts, ${duplicates} duplicates, ${unsure} unanswered`;
  if (firsts.length > 1) violate('two acknowledgements were both taken for the first', name);
  // An acknowledgement without a reply may have been the first.
  if (firsts.length === 0 && unsure === 0) violate('no acknowledgement was taken for the first', name);
  const [first] = firsts;
  if (first !== undefined && first !== (row.state === 'succeeded')) {
    violate('a later acknowledgement changed the first', `${name}: ${row.state}`);
  }
}
