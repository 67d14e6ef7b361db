import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './data-table.module.css';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  /** The cell's content; null: a dash in the table, and no line on the card. */
  readonly cell: (row: Row) => ReactNode;
  /** The name of the row: in bold, a link where rows lead somewhere, the title of its card. */
  readonly isName?: boolean;
  /** Whether the text can be long; it then wraps anywhere. */
  readonly isLong?: boolean;
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
  /** Link of a row. */
  readonly rowLink?: (row: Row) => string;
  /** True where no cell takes the focus: then the table does, so that it can be scrolled with the keyboard. */
  readonly takesFocus?: boolean;
}

/**
 * A table; on a narrow screen each row becomes a card. The roles are written out because a browser drops them from
 * table elements that CSS shows as something else.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowLink,
  takesFocus = false,
}: DataTableProps<Row>) {
  return (
    <div className={classes.frame} tabIndex={takesFocus ? 0 : undefined}>
      <table className={classes.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, header, align, width }) => (
              <th key={key} role="columnheader" scope="col" data-align={align} style={{ width }}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row" data-is-link={rowLink !== undefined}>
              {columns.map((column) => (
                <Cell key={column.key} column={column} row={row} link={rowLink?.(row)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly link: string | undefined;
}

function Cell<Row>({ column, row, link }: CellProps<Row>) {
  const content = column.cell(row);
  return (
    <td
      role="cell"
      data-label={column.header}
      data-align={column.align}
      data-is-name={column.isName}
      data-is-long={column.isLong}
      data-is-empty={content === null}
    >
      {column.isName && link !== undefined ? (
        <Link to={link} className={classes.link}>
          {content}
        </Link>
      ) : (
        <div className={classes.content}>{content ?? '–'}</div>
      )}
    </td>
  );
}
