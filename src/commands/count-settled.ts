import { onCommit, type Transaction } from '../database/transaction.js';
import { settledCommands } from '../observability/instruments.js';
import type { CommandState } from './command.types.js';

/** Counts settled commands with the commit. */
export function countSettled(tx: Transaction, state: CommandState, count = 1): void {
  onCommit(tx, () => settledCommands.inc({ state }, count));
}
