import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { type Matching, readMatching } from '../api/matching.js';
import type { BulkItem } from './bulk-dialog.js';
import type { Column } from './data-table.js';

export interface Selection<Row> {
  /** The selected rows that are still in the list, or were among all that matched. */
  readonly selected: readonly BulkItem[];
  readonly column: Column<Row>;
  readonly clear: () => void;
  /** Null: all that are loaded are selected. */
  readonly selectAll: (() => void) | null;
  /** All that match, where not all of them are loaded; null: they are, or all that match are selected. */
  readonly matching: Matching | null;
  /** Reads all that match, and selects them. */
  readonly selectMatching: () => Promise<void>;
}

type Selectable = { readonly id: string; readonly project_id: string };

/** Rows that were read to select all that match a filter. */
interface Everything {
  readonly of: string;
  readonly items: readonly BulkItem[];
}

/**
 * Rows that a person selects, by a column of checkboxes.
 *
 * @param matching the rows that match the filter of the list; null: all of them are loaded
 */
export function useSelection<Row extends Selectable>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  matching: Matching | null,
): Selection<Row> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [everything, setEverything] = useState<Everything | null>(null);
  const filter = JSON.stringify(matching);
  const itemOf = (row: Row): BulkItem => ({ id: row.id, name: nameOf(row), projectId: row.project_id });
  // what another filter matched is selected no more
  const read = everything?.of === filter ? everything.items : [];
  const known = new Map([...read, ...rows.map(itemOf)].map((item) => [item.id, item]));
  const selected = [...known.values()].filter(({ id }) => ids.has(id));
  const toggle = (id: string) =>
    setIds((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const clear = () => setIds(new Set());
  const selectAll = () => setIds(new Set(rows.map(({ id }) => id)));
  const selectMatching = async () => {
    if (matching === null) return;
    const items = (await readMatching<Row>(matching)).map(itemOf);
    setEverything({ of: filter, items });
    setIds(new Set(items.map(({ id }) => id)));
  };
  const isAll = rows.length > 0 && rows.every(({ id }) => ids.has(id));
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
  const isEverything = read.length > 0 && read.every(({ id }) => ids.has(id));
  return {
    selected,
    column,
    clear,
    selectAll: isAll ? null : selectAll,
    matching: isEverything ? null : matching,
    selectMatching,
  };
}
