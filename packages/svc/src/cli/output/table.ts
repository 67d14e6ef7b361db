import Table from 'cli-table3';
import type { Context } from '../context.js';
import { printJson } from './json.js';
import { printableLine } from './printable.js';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null | undefined;
  /** How the value looks on a terminal. */
  readonly paint?: (text: string, row: Row) => string;
  /**
   * How it fits a narrow terminal: an id is shortened to a beginning that is unique in the table, then details give way,
   * then names that are very long, then other columns, then names. A status stays whole as long as anything else can give way.
   */
  readonly fit?: 'id' | 'name' | 'detail' | 'status';
}

export interface ListOptions<Row> {
  readonly items: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Hint where the list is empty: the next thing to do. */
  readonly ifEmpty: string;
  /** There is more than what is shown. */
  readonly hasMore?: boolean;
}

/** Between columns. */
const GAP = 2;
/** Width that a column keeps when it gives way. */
const NARROWEST = 6;
/** Columns that are shortened one after the other, and how much they keep. A name stays whole up to 32 characters. */
const SHRINKING = [
  ['detail', NARROWEST],
  ['name', 32],
  [undefined, NARROWEST],
  ['name', NARROWEST],
  ['id', NARROWEST],
  ['status', NARROWEST],
] as const;
/** Beginnings of a UUID that are long enough to be copied: 8 characters, and the ends of its groups. */
const ID_LENGTHS = [8, 13, 18, 23, 28] as const;

/** Shows a list: a table that fits the terminal, or the service's own JSON. */
export function printList<Row>(context: Context, list: ListOptions<Row>): void {
  const { terminal } = context;
  if (context.output === 'json') return printJson(context, list.items);
  if (list.items.length === 0) return terminal.note(list.ifEmpty);
  for (const line of tableLines(list.items, list.columns, terminal.width, terminal.colors.bold)) {
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
  const content = (cellsOf: readonly string[][]) => [
    kept.map(({ column }) => heading(column.title)),
    ...rows.map((row, at) =>
      kept.map(({ column: { paint = (text) => text }, index }) => paint(cellsOf[at]![index]!, row)),
    ),
  ];
  const lines = (cells: string[][], widths: readonly number[]) =>
    layOut(cells, widths)
      .toString()
      .split('\n')
      .map((line) => line.trimEnd());
  const whole = content(texts);
  const natural = naturalWidths(whole);
  if (width === undefined || total(natural) <= width) return lines(whole, natural);
  const short = content(withShortIds(texts, columns));
  return lines(
    short,
    fitted(
      naturalWidths(short),
      kept.map(({ column }) => column.fit),
      width,
    ),
  );
}

function naturalWidths(content: readonly string[][]): number[] {
  const table = layOut(content);
  // laying it out writes the widths that it found into its options
  table.toString();
  return (table.options.colWidths as number[]).map((wide) => wide - GAP);
}

/** Ids as short as they can be and still tell the rows apart. */
function withShortIds<Row>(texts: readonly string[][], columns: readonly Column<Row>[]): string[][] {
  const lengths = columns.map(({ fit }, index) => {
    const ids = new Set(texts.map((cells) => cells[index]!));
    const isEnough = (length: number) => new Set([...ids].map((id) => id.slice(0, length))).size === ids.size;
    return fit === 'id' ? ID_LENGTHS.find(isEnough) : undefined;
  });
  return texts.map((cells) => cells.map((text, index) => text.slice(0, lengths[index])));
}

/** Takes from the widest column of each kind in turn, down to a least width, until the table fits. */
function fitted<Row>(
  natural: readonly number[],
  fits: readonly Column<Row>['fit'][],
  width: number,
): number[] {
  const widths = [...natural];
  for (const [fit, least] of SHRINKING) {
    while (total(widths) > width) {
      const candidates = widths.map((wide, at) => (fits[at] === fit && wide > least ? wide : 0));
      const widest = Math.max(...candidates);
      if (widest === 0) break;
      widths[candidates.indexOf(widest)]! -= 1;
    }
  }
  return widths;
}

/** How wide a table with these columns is. */
function total(widths: readonly number[]): number {
  return widths.reduce((sum, wide) => sum + wide + GAP, -GAP);
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
