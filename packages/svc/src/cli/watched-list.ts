import { isDeepStrictEqual } from 'node:util';
import type { Context } from './context.js';
import { printJsonLine } from './output/json.js';
import { type Column, tableLines } from './output/table.js';
import { inTurns } from './turns.js';

/** Pause between two looks. */
const TURN_MS = 2_000;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** Prints a list, and then each item that is new or has changed, until the signal aborts. */
export async function watchList<Item>(
  context: Context,
  read: () => Promise<readonly Item[]>,
  columnsOf: (items: readonly Item[]) => readonly Column<Item>[] | Promise<readonly Column<Item>[]>,
  keyOf: (item: Item) => unknown,
): Promise<void> {
  const seen = new Map<unknown, unknown>();
  let hasHeading = false;
  await inTurns(context, TURN_MS, async () => {
    const items = await read();
    const isNews = items.map((item) => !isDeepStrictEqual(seen.get(keyOf(item)), withoutTimes(item)));
    for (const item of items) seen.set(keyOf(item), withoutTimes(item));
    if (!isNews.includes(true)) return;
    if (context.output === 'json') {
      for (const [at, item] of items.entries()) if (isNews[at]) printJsonLine(context, item);
      return;
    }
    const { terminal, isWide } = context;
    const columns = (await columnsOf(items)).filter((column) => isWide || !column.isWide);
    // of the whole list, so that later rows stand below the same headings
    const [heading, ...rows] = tableLines(
      items,
      columns,
      isWide ? undefined : terminal.width,
      terminal.colors.bold,
    );
    if (!hasHeading) terminal.print(heading!);
    hasHeading = true;
    for (const [at, row] of rows.entries()) if (isNews[at]) terminal.print(row);
  });
}

/** An item without its times, of which a heartbeat changes one every few seconds. */
export function withoutTimes(value: unknown): unknown {
  if (typeof value === 'string') return TIME.test(value) ? null : value;
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutTimes(each)]));
}
