import Table from 'cli-table3';
import type { Context } from '../context.js';
import { printJson } from './json.js';
import { printableLine } from './printable.js';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null | undefined;
  /** How the value looks on a terminal. */
  readonly paint?: (text: string, row: Row) => string;
  /** Gives way when the terminal is narrow: what matters less than ids and states. */
  readonly yields?: true;
}

export interface ListOptions<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What to say when there is nothing: the next thing to do. */
  readonly ifEmpty: string;
  /** There is more than what is shown. */
  readonly hasMore?: boolean;
}

/** Between columns. */
const GAP = 2;
/** What a column that gives way keeps. */
const NARROWEST = 6;

/** Shows a list: a table that fits the terminal, or the service's own JSON. */
export function printList<Row>(context: Context, list: ListOptions<Row>): void {
  const { terminal } = context;
  if (context.output === 'json') return printJson(context, list.rows);
  if (list.rows.length === 0) return terminal.note(list.ifEmpty);
  for (const line of tableLines(list.rows, list.columns, terminal.width, terminal.colors.bold)) {
    terminal.print(line);
  }
  if (list.hasMore && terminal.width !== undefined)
    terminal.note(terminal.noteColors.dim('There is more: --limit, --skip or --all'));
}

/**
 * @param width columns of the terminal, where columns without any value are left out too; nothing: everything is shown
 *   as wide as it is, for programs
 * @param heading how titles look
 */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | undefined,
  heading: (text: string) => string = (text) => text,
): string[] {
  const texts = rows.map((row) => columns.map(({ value }) => printableLine(String(value(row) ?? ''))));
  const kept = columns
    .map((column, index) => ({ column, index }))
    .filter(({ index }) => width === undefined || texts.some((cells) => cells[index] !== ''));
  const cells = rows.map((row, at) =>
    kept.map(({ column: { paint = (text) => text }, index }) => paint(texts[at]![index]!, row)),
  );
  const content = [kept.map(({ column }) => heading(column.title)), ...cells];
  const natural = naturalWidths(content);
  const yielding = kept.map(({ column }) => column.yields === true);
  const widths = width === undefined ? natural : fitted(natural, yielding, width);
  return layOut(content, widths)
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

function naturalWidths(content: readonly string[][]): number[] {
  const table = layOut(content);
  // laying it out writes the widths that it found into its options
  table.toString();
  return (table.options.colWidths as number[]).map((wide) => wide - GAP);
}

/** Takes from the widest column that gives way, then from the widest of the others, and last from the first: the id. */
function fitted(natural: readonly number[], yielding: readonly boolean[], width: number): number[] {
  const widths = [...natural];
  const isTooWide = () => widths.reduce((sum, wide) => sum + wide + GAP, -GAP) > width;
  const mayShrink = [(at: number) => yielding[at]!, (at: number) => at > 0, () => true];
  for (const may of mayShrink) {
    while (isTooWide()) {
      const candidates = widths.map((wide, at) => (may(at) && wide > NARROWEST ? wide : 0));
      const widest = Math.max(...candidates);
      if (widest === 0) break;
      widths[candidates.indexOf(widest)]! -= 1;
    }
  }
  return widths;
}

function layOut(content: readonly string[][], widths?: readonly number[]): Table.Table {
  const none = ['top', 'bottom', 'left', 'right', 'mid', 'middle'].flatMap((side) => [
    side,
    `${side}-mid`,
    `${side}-left`,
    `${side}-right`,
    `mid-${side}`,
    `left-${side}`,
    `right-${side}`,
  ]);
  const table = new Table({
    chars: Object.fromEntries(none.map((name) => [name, ''])),
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    truncate: '…',
    ...(widths && { colWidths: widths.map((wide) => wide + GAP) }),
  });
  table.push(...content.map((row) => [...row]));
  return table;
}
