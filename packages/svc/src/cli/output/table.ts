import Table from 'cli-table3';
import type { Context } from '../context.js';
import { printJson } from './json.js';
import { printableLine } from './printable.js';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null | undefined;
  /** Formats the value for a terminal. */
  readonly paint?: (text: string, row: Row) => string;
  /** True: only in a wide table. */
  readonly isWide?: true;
  /**
   * Priority on a narrow terminal: an id is shortened to a beginning that is unique in the table, then details are
   * shortened, then very long names, then other columns, then names. A status is shortened last.
   */
  readonly fit?: 'id' | 'name' | 'detail' | 'status';
}

export interface ListOptions<Row> {
  readonly items: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Hint for an empty list: the next step. */
  readonly ifEmpty: string;
  /** True if there are more rows than the printed ones. */
  readonly hasMore?: boolean;
}

/** Number of spaces between columns. */
const GAP = 2;
/** Minimum width of a shortened column. */
const NARROWEST = 6;
/** Columns in the order in which they are shortened, and their minimum widths. A name keeps up to 32 characters. */
const SHRINKING = [
  ['detail', NARROWEST],
  ['name', 32],
  [undefined, NARROWEST],
  ['name', NARROWEST],
  ['id', NARROWEST],
  ['status', NARROWEST],
] as const;
/** Lengths of a UUID's beginning that are easy to copy: 8 characters, and the ends of its groups. */
const ID_LENGTHS = [8, 13, 18, 23, 28] as const;

/** Prints a list: a table that fits the terminal, or the service's own JSON. */
export function printList<Row>(context: Context, list: ListOptions<Row>): void {
  const { terminal } = context;
  if (context.output === 'json') return printJson(context, list.items);
  if (list.items.length === 0) return terminal.note(list.ifEmpty);
  printTable(context, list.items, list.columns);
  if (list.hasMore && terminal.width !== undefined)
    terminal.note(terminal.noteColors.dim('There is more: --limit, --skip or --all'));
}

/** Prints rows as `-o` says: fitted to the terminal, or wide. */
export function printTable<Row>(
  { terminal, isWide }: Context,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): void {
  const shown = columns.filter((column) => isWide || !column.isWide);
  const width = isWide ? undefined : terminal.width;
  for (const line of tableLines(rows, shown, width, terminal.colors.bold)) terminal.print(line);
}

/**
 * @param width columns of the terminal, on which columns without any value are omitted; undefined: full width and all
 * columns, for programs
 * @param heading formats titles
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
  // the layout writes the widths that it found into its options
  table.toString();
  return (table.options.colWidths as number[]).map((wide) => wide - GAP);
}

/** Ids, shortened as far as they stay unique among the rows. */
function withShortIds<Row>(texts: readonly string[][], columns: readonly Column<Row>[]): string[][] {
  const lengths = columns.map(({ fit }, index) => {
    const ids = new Set(texts.map((cells) => cells[index]!));
    const isEnough = (length: number) => new Set([...ids].map((id) => id.slice(0, length))).size === ids.size;
    return fit === 'id' ? ID_LENGTHS.find(isEnough) : undefined;
  });
  return texts.map((cells) => cells.map((text, index) => text.slice(0, lengths[index])));
}

/** Shortens the widest column of each kind in turn, down to a minimum width, until the table fits. */
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

/** The width of a table with these columns. */
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
