import type { Context } from '../context.js';
import type { TopRow } from '../top-rows.js';
import { count, dollars } from './amounts.js';
import { type Column, printTable } from './table.js';

/** Moves the cursor to the top left, and clears the screen below. */
const CLEARED = '\u001b[H\u001b[J';

/** Prints the table; a watched one takes the place of the one before, where there is a terminal. */
export function printTop(
  context: Context,
  rows: readonly TopRow[],
  { isWatched, hasMore }: { readonly isWatched: boolean; readonly hasMore: boolean },
): void {
  const { terminal } = context;
  if (isWatched) terminal.print(terminal.width === undefined ? '' : CLEARED);
  if (rows.length === 0) return terminal.note('Nothing is deployed');
  printTable(context, rows, COLUMNS);
  if (hasMore) terminal.note(terminal.noteColors.dim('Older deployments are left out: raise --limit'));
}

const COLUMNS: readonly Column<TopRow>[] = [
  { title: 'AGENT', value: ({ agent_name: name }) => name, fit: 'name' },
  { title: 'READY', value: ({ ready_replicas: ready, replicas }) => `${ready}/${replicas}` },
  { title: 'CPU', value: ({ cpu_usage: cpu }) => rounded(cpu) },
  { title: 'MEMORY', value: ({ memory_usage: memory }) => rounded(memory) },
  { title: 'RESTARTS', value: ({ restart_count: restarts }) => restarts },
  { title: 'TOKENS', value: ({ tokens }) => count(tokens) },
  { title: 'COST', value: ({ cost_usd: cost }) => dollars(cost) },
  { title: 'ID', value: ({ agent_id: id }) => id, fit: 'id', isWide: true },
];

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
