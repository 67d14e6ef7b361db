import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { type Page, requestPage } from './request.js';

export interface ListOptions {
  /** Milliseconds between refreshes while the page is visible; absent: none. */
  readonly refetchInterval?: number;
  readonly enabled?: boolean;
}

export interface LoadedList<Row> {
  readonly rows: readonly Row[];
  /** True until the first page is loaded. */
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly refetch: () => void;
}

/**
 * A list, loaded page by page by its `Link` headers. A refresh reads all loaded pages again.
 *
 * @param path of the first page, with its query
 * @param keyOf returns the identity of a row; absent: its `id`
 */
export function useList<Row extends object>(
  key: QueryKey,
  path: string,
  options: ListOptions = {},
  keyOf: (row: Row) => unknown = idOf,
): LoadedList<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => requestPage<Row>(pageParam, { signal }),
    initialPageParam: path,
    getNextPageParam: (last: Page<Row>) => last.next,
    select: ({ pages }) =>
      distinct(
        pages.flatMap((page) => page.rows),
        keyOf,
      ),
    ...(options.enabled !== undefined && { enabled: options.enabled }),
    // A refresh reads all loaded pages, so its interval grows with their number.
    refetchInterval: ({ state }) =>
      options.refetchInterval ? options.refetchInterval * (state.data?.pages.length ?? 1) : false,
  });
  return {
    rows: query.data ?? [],
    isPending: query.isPending,
    error: query.data === undefined ? query.error : null,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  };
}

function idOf(row: object): unknown {
  return 'id' in row ? row.id : row;
}

/** Removes duplicates: a new row moves others into the next page. */
function distinct<Row>(rows: readonly Row[], keyOf: (row: Row) => unknown): Row[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
