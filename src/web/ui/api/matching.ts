import { useQuery } from '@tanstack/react-query';
import { requestAll, requestPage, withQuery } from './request.js';

/** All rows of a list that match its filters, the loaded ones and those that are not. */
export interface Matching {
  /** Path of the list, `/api/...`. */
  readonly path: string;
  readonly filter: Readonly<Record<string, string | number | undefined>>;
}

/** How many rows match. @param wanted null: nothing is asked for */
export const useMatchingCount = (wanted: Matching | null) =>
  useQuery({
    queryKey: ['matching', wanted],
    queryFn: async ({ signal }) => {
      const { path, filter } = wanted!;
      return (await requestPage(withQuery(path, { ...filter, limit: 1, include_total: 'true' }), { signal }))
        .total;
    },
    enabled: wanted !== null,
  }).data;

/** Each row once: a new one moves others into the next page. @throws ApiError */
export async function readMatching<Row extends { readonly id: string }>(wanted: Matching): Promise<Row[]> {
  const rows = await requestAll<Row>(withQuery(wanted.path, { ...wanted.filter, limit: 100 }));
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
