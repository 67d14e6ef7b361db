import type { CommandOption } from './command-declaration.js';
import type { CommandInput } from './command.js';
import { integer } from './option-values.js';

/** The requested part of a list. */
export interface PageOptions {
  /** Number of items; Infinity for all. */
  readonly limit: number;
  /** Number of the newest items to skip. */
  readonly skip: number;
}

/** All items, in as many pages as needed. */
export const ALL_PAGES: PageOptions = { limit: Number.POSITIVE_INFINITY, skip: 0 };

/** The beginning of a page: a number of items from the newest, or the id of the item before it. */
type Start =
  { readonly skip: number; readonly before?: never } | { readonly before: string; readonly skip?: never };

/** The query of a request for one page. */
export type PageQuery = Start & { readonly limit: number };

export interface Listed<Item> {
  readonly items: Item[];
  /** True if more items may follow. */
  readonly hasMore: boolean;
}

/** The service's largest page sizes. */
export const PAGE = { resources: 100, records: 500 } as const;

const DEFAULT_LIMIT = 50;

export const pageOptions: readonly CommandOption[] = [
  {
    flags: '-n, --limit <number>',
    description: `how many to show (default ${DEFAULT_LIMIT})`,
    parse: integer(0),
  },
  { flags: '--skip <number>', description: 'how many of the newest to leave out', parse: integer(0) },
  { flags: '--all', description: 'show all' },
];

export function readPageOptions(input: CommandInput): PageOptions {
  return {
    limit: input.flag('all') ? Number.POSITIVE_INFINITY : (input.number('limit') ?? DEFAULT_LIMIT),
    skip: input.number('skip') ?? 0,
  };
}

/**
 * Reads the requested number of pages, each from the position in the last one's `Link`. An item that moves to a later
 * page during the reads is returned once.
 *
 * @param pageSize the list's largest page size
 * @param keyOf returns the identity of an item; absent: its `id`
 */
export async function readPages<Item extends object>(
  { limit, skip }: PageOptions,
  pageSize: number,
  read: (query: PageQuery) => Promise<{ data?: readonly Item[]; response: Response }>,
  keyOf: (item: Item) => unknown = idOf,
): Promise<Listed<Item>> {
  const items = new Map<unknown, Item>();
  let from: Start | undefined = { skip };
  do {
    // asking for none is a way to ask whether it is there at all
    const reply = await read({ ...from, limit: Math.min(pageSize, Math.max(1, limit - items.size)) });
    for (const item of reply.data ?? []) items.set(keyOf(item), item);
    from = nextStart(reply.response, from);
  } while (from !== undefined && items.size < limit);
  return { items: [...items.values()].slice(0, limit), hasMore: from !== undefined };
}

/** All pages of a list, one at a time, for lists that don't fit into memory. */
export async function* eachPage<Item>(
  limit: number,
  read: (query: PageQuery) => Promise<{ data?: readonly Item[]; response: Response }>,
): AsyncGenerator<readonly Item[]> {
  for (let from: Start | undefined = { skip: 0 }; from !== undefined;) {
    const { data = [], response } = await read({ ...from, limit });
    yield data;
    from = nextStart(response, from);
  }
}

/** The same of a list that has no end from which it could be counted: each page from the last item of the one before it. */
export async function* eachPageOnwards<Item>(
  read: (position: { readonly after?: string }) => Promise<{ data?: readonly Item[]; response: Response }>,
): AsyncGenerator<readonly Item[]> {
  for (let after: string | undefined; ;) {
    const { data = [], response } = await read(after === undefined ? {} : { after });
    yield data;
    const next = linkParameter(response, 'after') ?? undefined;
    // a link that does not advance would be followed for ever
    if (next === undefined || next === after) return;
    after = next;
  }
}

/** All items of such a list. */
export async function readOnwards<Item>(
  read: (position: { readonly after?: string }) => Promise<{ data?: readonly Item[]; response: Response }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of eachPageOnwards(read)) items.push(...page);
  return items;
}

/** The identity of an item. */
export function idOf(item: object): unknown {
  return 'id' in item ? item.id : item;
}

/** By the last item where the service offers that: by number one would be missed when an earlier one is deleted meanwhile. */
function nextStart(response: Response, present: Start): Start | undefined {
  const before = linkParameter(response, 'before');
  if (before !== null) return before === present.before ? undefined : { before };
  const skip = nextPage(response, 'skip', present.skip ?? 0);
  return skip === undefined ? undefined : { skip };
}

/**
 * The beginning of the next page (RFC 8288): a parameter of the address in `Link`; undefined on the last page.
 *
 * @param present beginning of the present page: a link that does not advance would be followed for ever
 */
export function nextPage(response: Response, parameter: string, present: number): number | undefined {
  const value = linkParameter(response, parameter);
  const next = Number(value);
  return value !== null && next > present ? next : undefined;
}

/** A parameter of the next page's address; null: that page has none, or there is no next page. */
function linkParameter(response: Response, parameter: string): string | null {
  const [, target] = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(response.headers.get('link') ?? '') ?? [];
  // it may be relative; only its parameters count, so that nobody is sent to another host
  return target === undefined ? null : new URL(target, 'http://localhost').searchParams.get(parameter);
}
