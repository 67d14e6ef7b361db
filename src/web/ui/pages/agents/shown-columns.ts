/** The columns of the page of agents whose address names none. */
export const USUAL_COLUMNS: readonly string[] = [
  'health',
  'day',
  'ready',
  'version',
  'labels',
  'connection',
  'project',
];

const PARAMETER = 'columns';

/** Keys of the columns next to the name. */
export function columnsIn(search: URLSearchParams): readonly string[] {
  return search.get(PARAMETER)?.split(',') ?? USUAL_COLUMNS;
}

/** Writes columns into an address; the usual ones are left out. */
export function setColumns(search: URLSearchParams, wanted: readonly string[]): URLSearchParams {
  const isUsual =
    wanted.length === USUAL_COLUMNS.length && USUAL_COLUMNS.every((key) => wanted.includes(key));
  if (isUsual) search.delete(PARAMETER);
  else search.set(PARAMETER, wanted.join(','));
  return search;
}
