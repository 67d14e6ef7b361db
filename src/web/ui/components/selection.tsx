import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { BulkItem } from './bulk-dialog.js';
import type { Column } from './data-table.js';

export interface Selection<Row> {
  /** The selected rows that are still in the list. */
  readonly selected: readonly BulkItem[];
  readonly column: Column<Row>;
  readonly clear: () => void;
  /** Null: all are selected. */
  readonly selectAll: (() => void) | null;
}

/** Rows that a person selects, by a column of checkboxes. */
export function useSelection<Row extends { readonly id: string; readonly project_id: string }>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): Selection<Row> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const selected = rows
    .filter(({ id }) => ids.has(id))
    .map((row) => ({ id: row.id, name: nameOf(row), projectId: row.project_id }));
  const toggle = (id: string) =>
    setIds((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const clear = () => setIds(new Set());
  const selectAll = () => setIds(new Set(rows.map(({ id }) => id)));
  const isAll = rows.length > 0 && selected.length === rows.length;
  const column: Column<Row> = {
    key: 'select',
    isSelection: true,
    header: '',
    width: '2.5rem',
    headerCell: (
      <Checkbox
        size="xs"
        aria-label="Select all that are loaded"
        checked={isAll}
        indeterminate={selected.length > 0 && !isAll}
        onChange={isAll ? clear : selectAll}
      />
    ),
    cell: (row) => (
      <Checkbox
        size="xs"
        aria-label={`Select ${nameOf(row)}`}
        checked={ids.has(row.id)}
        onChange={() => toggle(row.id)}
      />
    ),
  };
  return { selected, column, clear, selectAll: isAll ? null : selectAll };
}
