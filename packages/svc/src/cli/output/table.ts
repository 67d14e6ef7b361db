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
   * Use of a narrow terminal: an id is shortened to a beginning that is unique in the table, then details are shortened,
   * then names. Where that is not enough, columns are left out, because a number, a time or an id that is cut off is
   * wrong: first shortened details, then columns without a `fit`. A status stays, as what a list is for does.
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
/** Kinds of columns in the order in which they are shortened, and their minimum widths. */
const SHRINKING = [
  ['detail', 12],
  ['name', 32],
  ['name', 12],
] as const;
/** The same, where no column can be left out. */
const SHRINKING_LAST = [
  ['name', 6],
  ['id', 6],
  ['status', 6],
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
 * @param width columns of the terminal, on which columns without any value, or without room, are omitted; undefined: full
 * width and all columns, for programs
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
  const content = (shown: typeof kept, cellsOf: readonly string[][]) => [
    shown.map(({ column }) => heading(column.title)),
    ...rows.map((row, at) =>
      shown.map(({ column: { paint = (text) => text }, index }) => paint(cellsOf[at]![index]!, row)),
    ),
  ];
  const lines = (cells: string[][], widths: readonly number[]) =>
    layOut(cells, widths)
      .toString()
      .split('\n')
      .map((line) => line.trimEnd());
  const whole = content(kept, texts);
  const natural = naturalWidths(whole);
  if (width === undefined || total(natural) <= width) return lines(whole, natural);
  const cellsOf = withShortIds(texts, columns);
  const widths = naturalWidths(content(kept, cellsOf));
  const fitting = fitted(
    kept.map(({ column: { fit } }, at) => ({ at, fit, natural: widths[at]! })),
    width,
  );
  const shown = fitting.map(({ at }) => kept[at]!);
  return lines(
    content(shown, cellsOf),
    fitting.map(({ wide }) => wide),
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

/** A column of a narrow table. */
interface Narrow {
  readonly at: number;
  readonly fit: Column<never>['fit'];
  readonly natural: number;
}

/** Columns that fit, with their widths. */
function fitted(columns: readonly Narrow[], width: number): (Narrow & { readonly wide: number })[] {
  let shown = columns;
  for (;;) {
    const widths = shortened(
      shown,
      shown.map(({ natural }) => natural),
      SHRINKING,
      width,
    );
    const spare = total(widths) > width ? leastWanted(shown, widths) : undefined;
    if (spare === undefined) {
      const least = shortened(shown, widths, SHRINKING_LAST, width);
      return shown.map((column, index) => ({ ...column, wide: least[index]! }));
    }
    shown = shown.filter((column) => column !== spare);
  }
}

/** The column to leave out: the last detail that is cut, else the last one of which nothing may be cut. */
function leastWanted(columns: readonly Narrow[], widths: readonly number[]): Narrow | undefined {
  return (
    columns.findLast(({ fit, natural }, index) => fit === 'detail' && widths[index]! < natural) ??
    columns.findLast(({ fit }, index) => index > 0 && (fit === undefined || fit === 'id'))
  );
}

/** Shortens the widest column of each kind in turn, down to its minimum width, until the table fits. */
function shortened(
  columns: readonly Narrow[],
  natural: readonly number[],
  shrinking: typeof SHRINKING | typeof SHRINKING_LAST,
  width: number,
): number[] {
  const widths = [...natural];
  for (const [kind, least] of shrinking) {
    while (total(widths) > width) {
      const candidates = widths.map((wide, index) =>
        columns[index]!.fit === kind && wide > least ? wide : 0,
      );
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
