import { Counter } from 'prom-client';
import { onCommit, type Transaction } from '../database/transaction.js';
import { instruments } from '../observability/instruments.js';
import type { CommandState } from './command.types.js';

const settledCommands = new Counter({
  name: 'control_plane_commands_settled_total',
  help: 'Commands settled by this instance, by their final state',
  labelNames: ['state'],
  registers: [instruments],
});

/** Counts settled commands with the commit. */
export function countSettled(tx: Transaction, state: CommandState, count = 1): void {
  onCommit(tx, () => settledCommands.inc({ state }, count));
}
