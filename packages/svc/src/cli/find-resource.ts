import type { Context } from './context.js';
import { CommandFailedError, UnknownNameError } from './failures.js';
import { isId, isIdPrefix } from './option-values.js';
import { ALL_PAGES, PAGE, type PageQuery, readPages } from './paging.js';

/** The resources that the service is asked for; empty: all. */
export interface Search {
  /** Part of a name. */
  readonly q?: string;
  /** Beginning of an id. */
  readonly id_prefix?: string;
  /** Only active ones, where a kind prefers them. */
  readonly active?: true;
}

/** A kind of resource that people name on a command line. */
export interface ResourceKind<Item extends { readonly id: string }> {
  /** As messages call it: `agent`. */
  readonly noun: string;
  /** The command that lists them: `svc agents list`. */
  readonly list: string;
  /** A page of those that a search finds. It may hold others: of what there are few of, the service finds all. */
  readonly read: (
    context: Context,
    search: Search,
    page: PageQuery,
    signal?: AbortSignal,
  ) => Promise<Reply<Item>>;
  readonly nameOf: (item: Item) => string;
  /** A text that tells an item from others of the same name. */
  readonly describe: (item: Item) => string;
  /** Returns true for items that are meant before others of the same name: the active ones. */
  readonly isPreferred?: (item: Item) => boolean;
}

export interface Reply<Item> {
  readonly data?: readonly Item[];
  readonly response: Response;
}

/** How many candidates an error names. */
const MOST_NAMED = 10;

/**
 * The id of the resource that somebody means by its id, its name, or the beginning of its id. A whole id is taken as it is:
 * the request that follows says when there is no such resource.
 *
 * @throws UnknownNameError when nothing is meant; CommandFailedError with the candidates when more than one is
 */
export async function findId<Item extends { readonly id: string }>(
  context: Context,
  kind: ResourceKind<Item>,
  text: string,
): Promise<string> {
  return isId(text) ? text.toLowerCase() : findExistingId(context, kind, text);
}

/** As {@link findId}, but a whole id is looked up too: for requests that answer an unknown id with an empty list. */
export async function findExistingId<Item extends { readonly id: string }>(
  context: Context,
  kind: ResourceKind<Item>,
  text: string,
): Promise<string> {
  const candidates = await candidatesFor(context, kind, text);
  const [only] = candidates;
  if (!only)
    throw new UnknownNameError(
      `No ${kind.noun} has the name "${text}", or an id that begins with it: see "${kind.list}"`,
    );
  if (candidates.length > 1) throw ambiguous(candidates, kind, text);
  return only.id;
}

/** Names win over beginnings of ids. */
async function candidatesFor<Item extends { readonly id: string }>(
  context: Context,
  { read, nameOf, isPreferred }: ResourceKind<Item>,
  text: string,
): Promise<readonly Item[]> {
  const found = async (search: Search) =>
    (await readPages(ALL_PAGES, PAGE.resources, (page) => read(context, search, page))).items;
  const isNamed = (item: Item) => nameOf(item) === text;
  if (isPreferred) {
    const preferred = (await found({ q: text, active: true })).filter(
      (item) => isNamed(item) && isPreferred(item),
    );
    if (preferred.length > 0) return preferred;
  }
  const named = (await found({ q: text })).filter(isNamed);
  if (named.length > 0 || !isIdPrefix(text)) return named;
  const prefix = text.toLowerCase();
  return (await found({ id_prefix: prefix })).filter(({ id }) => id.startsWith(prefix));
}

function ambiguous<Item extends { readonly id: string }>(
  candidates: readonly Item[],
  { noun, describe }: ResourceKind<Item>,
  text: string,
): CommandFailedError {
  const shown = candidates.slice(0, MOST_NAMED).map((item) => `${item.id} (${describe(item)})`);
  const others = candidates.length - shown.length;
  const more = others === 0 ? '' : `, and ${others} more`;
  return new CommandFailedError(
    `"${text}" is ${candidates.length} ${noun}s: ${shown.join(', ')}${more}; give one of these ids`,
  );
}
