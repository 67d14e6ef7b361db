interface Row {
  readonly id: string;
}

/**
 * The rows that a person has seen, in the order in which they were first seen, each as it was read last. What leaves the list stays in
 * its place, so that nothing moves under a hand that decides.
 *
 * @returns the same array if nothing is new
 */
export function keptRows<Item extends Row>(kept: readonly Item[], rows: readonly Item[]): readonly Item[] {
  const read = new Map(rows.map((row) => [row.id, row]));
  const again = kept.map((row) => read.get(row.id) ?? row);
  const seen = new Set(kept.map(({ id }) => id));
  const added = rows.filter(({ id }) => !seen.has(id));
  const isSame = added.length === 0 && again.every((row, index) => row === kept[index]);
  return isSame ? kept : [...again, ...added];
}
