import type { CSSProperties, MouseEvent, ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './data-table.module.css';
import { useDrawnRows } from './drawn-rows.js';
import { TextWithTimes } from './text-with-times.js';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  /** Content of the header in place of its text. */
  readonly headerCell?: ReactNode;
  /** The cell's content; null: a dash in the table, and no line on the card. */
  readonly cell: (row: Row) => ReactNode;
  /** The name of the row: in bold, a link if rows have one, the title of its card. */
  readonly isName?: boolean;
  /** The text can be long; it then wraps anywhere. */
  readonly isLong?: boolean;
  /** Left out on a narrow screen. */
  readonly isDetail?: boolean;
  /** The checkboxes of a selection. */
  readonly isSelection?: boolean;
  readonly align?: 'right';
  /** CSS width of the column. */
  readonly width?: string;
}

export interface DataTableProps<Row> {
  /** Name of the table, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Link of a row; undefined: the row has none. */
  readonly rowLink?: (row: Row) => string | undefined;
  /** A text below a row, across all columns; undefined: the row has none. */
  readonly rowNote?: (row: Row) => string | undefined;
  /** True if no cell can have the focus: then the table has it, so that it can be scrolled with the keyboard. */
  readonly takesFocus?: boolean;
  /** True: each row is one line, and what does not fit its column is cut. Columns then keep their widths while rows come and go. */
  readonly isOneLine?: boolean;
  /** Called when the last rows are rendered, to load more. */
  readonly onEndReached?: (() => void) | undefined;
}

/** An empty row with the height of rows that are not rendered. */
const space = (height: number) =>
  height > 0 && (
    <tr aria-hidden className={classes.space}>
      <td style={{ height }} />
    </tr>
  );

/** The least width of a column without one of its own. Such columns share what the others leave. */
const LEAST_WIDTH = '9.5rem';

/** The width below which a table of one-line rows scrolls sideways: that of its columns. */
function leastWidth(columns: readonly Pick<Column<never>, 'width'>[]): CSSProperties {
  const widths = columns.map(({ width }) => width ?? LEAST_WIDTH);
  return { '--least-width': `calc(${widths.join(' + ')})` } as CSSProperties;
}

/** Follows the link of a row for a click on what lies above it, as a time or a text with a title does. */
function followLink(event: MouseEvent<HTMLTableRowElement>): void {
  if ((event.target as Element).closest('a, button, label, input') !== null) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  event.currentTarget
    .querySelector(`.${classes.link}`)
    ?.dispatchEvent(
      new globalThis.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
    );
}

/**
 * A table; on a narrow screen each row becomes a card. The roles are set explicitly because browsers remove them from
 * table elements whose CSS `display` is changed.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowLink,
  rowNote,
  takesFocus = false,
  isOneLine = false,
  onEndReached,
}: DataTableProps<Row>) {
  const { frame, shown, before, after, isVirtual, measure } = useDrawnRows(rows, onEndReached);
  return (
    <div ref={frame} className={classes.frame} tabIndex={takesFocus ? 0 : undefined}>
      <table
        className={classes.table}
        role="table"
        aria-label={label}
        data-is-one-line={isOneLine}
        style={isOneLine ? leastWidth(columns) : undefined}
        aria-rowcount={isVirtual ? rows.length + 1 : undefined}
      >
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, header, headerCell, align, width }) => (
              <th key={key} role="columnheader" scope="col" data-align={align} style={{ width }}>
                {headerCell ?? header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {space(before)}
          {shown.map(({ row, index }) => (
            <tr
              key={rowKey(row)}
              ref={measure}
              role="row"
              data-index={index}
              data-is-link={rowLink !== undefined}
              onClick={followLink}
              aria-rowindex={isVirtual ? index + 2 : undefined}
            >
              {columns.map((column) => (
                <Cell
                  key={column.key}
                  column={column}
                  row={row}
                  link={rowLink?.(row)}
                  note={rowNote?.(row)}
                />
              ))}
            </tr>
          ))}
          {space(after)}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly link: string | undefined;
  readonly note: string | undefined;
}

function Cell<Row>({ column, row, link, note }: CellProps<Row>) {
  const content = column.cell(row);
  return (
    <td
      role="cell"
      data-label={column.header}
      data-align={column.align}
      data-is-name={column.isName}
      data-is-long={column.isLong}
      data-is-detail={column.isDetail}
      data-is-selection={column.isSelection}
      data-is-empty={content === null}
    >
      {column.isName && link !== undefined ? (
        <Link to={link} className={classes.link}>
          {content}
        </Link>
      ) : (
        <div className={classes.content}>{content ?? '–'}</div>
      )}
      {column.isName && note !== undefined && (
        <div className={classes.note} title={note}>
          <TextWithTimes text={note} />
        </div>
      )}
    </td>
  );
}
