import type { Context } from './context.js';
import { CommandFailedError, UnknownNameError } from './failures.js';
import { isId, isIdPrefix } from './option-values.js';
import { ALL_PAGES, PAGE, type PageQuery, readPages } from './paging.js';

/** Filter of the resources in a request; empty: all. */
export interface Search {
  /** Part of a name. */
  readonly q?: string;
  /** Beginning of an id. */
  readonly id_prefix?: string;
  /** True: only active ones, if the kind prefers them. */
  readonly active?: true;
}

/** A kind of resource with names for the command line. */
export interface ResourceKind<Item extends { readonly id: string }> {
  /** Noun in messages: `agent`. */
  readonly noun: string;
  /** True: `read` returns those of the command's project only. */
  readonly isOfProject?: true;
  /** The command that lists them: `svc agents list`. */
  readonly list: string;
  /** Reads a page of matching resources. It may contain others. */
  readonly read: (
    context: Context,
    search: Search,
    page: PageQuery,
    signal?: AbortSignal,
  ) => Promise<Reply<Item>>;
  /** True: `read` searches for no beginning of an id, because the kind has few resources. */
  readonly isUnsearched?: true;
  /** Absent: an item is found only by its id, or the beginning of it. */
  readonly nameOf?: (item: Item) => string;
  /** A text that distinguishes an item from others of the same name. */
  readonly describe: (item: Item) => string;
  /** Returns true for items that are preferred to others of the same name: the active ones. */
  readonly isPreferred?: (item: Item) => boolean;
}

export interface Reply<Item> {
  readonly data?: readonly Item[];
  readonly response: Response;
}

/** Maximum number of candidates in an error. */
const MOST_NAMED = 10;

/**
 * The id of the resource with an id, a name, or the beginning of an id. A complete id is not checked: the following
 * request reports an unknown one.
 *
 * @throws UnknownNameError if nothing matches; CommandFailedError with the candidates if more than one does
 */
export async function findId<Item extends { readonly id: string }>(
  context: Context,
  kind: ResourceKind<Item>,
  text: string,
): Promise<string> {
  return isId(text) ? text.toLowerCase() : findExistingId(context, kind, text);
}

/** As {@link findId}, but a complete id is looked up too, for requests that answer an unknown id with an empty list. */
export async function findExistingId<Item extends { readonly id: string }>(
  context: Context,
  kind: ResourceKind<Item>,
  text: string,
): Promise<string> {
  const candidates = await candidatesFor(context, kind, text);
  const [only] = candidates;
  if (!only) throw await unknown(context, kind, text);
  if (candidates.length > 1) throw ambiguous(candidates, kind, text);
  return only.id;
}

/** Names precede beginnings of ids. */
async function candidatesFor<Item extends { readonly id: string }>(
  context: Context,
  { read, nameOf, isPreferred, isUnsearched }: ResourceKind<Item>,
  text: string,
): Promise<readonly Item[]> {
  const found = async (search: Search, part = ALL_PAGES) =>
    (await readPages(part, PAGE.resources, (page) => read(context, search, page, context.signal))).items;
  const isNamed = (item: Item) => nameOf?.(item) === text;
  if (isPreferred) {
    const preferred = (await found({ q: text, active: true })).filter(
      (item) => isNamed(item) && isPreferred(item),
    );
    if (preferred.length > 0) return preferred;
  }
  const named = nameOf ? (await found({ q: text })).filter(isNamed) : [];
  if (named.length > 0 || !isIdPrefix(text)) return named;
  const prefix = text.toLowerCase();
  // an account may have millions without names
  const part = nameOf || isUnsearched ? ALL_PAGES : { limit: MOST_NAMED + 1, skip: 0 };
  return (await found({ id_prefix: prefix }, part)).filter(({ id }) => id.startsWith(prefix));
}

async function unknown<Item extends { readonly id: string }>(
  context: Context,
  { noun, list, isOfProject, nameOf }: ResourceKind<Item>,
  text: string,
): Promise<UnknownNameError> {
  const projectId = isOfProject && (await context.projectId());
  const where = projectId === undefined ? '' : ` in the project ${projectId}`;
  const elsewhere = projectId === undefined ? '' : '; --project all looks in all of yours';
  const what = nameOf
    ? `has the name "${text}", or an id that begins with it`
    : `has an id that begins with "${text}"`;
  return new UnknownNameError(`No ${noun} ${what}${where}: see "${list}"${elsewhere}`);
}

function ambiguous<Item extends { readonly id: string }>(
  candidates: readonly Item[],
  { noun, list, describe, nameOf }: ResourceKind<Item>,
  text: string,
): CommandFailedError {
  const shown = candidates.slice(0, MOST_NAMED).map((item) => `${item.id} (${describe(item)})`);
  const others = candidates.length - shown.length;
  if (!nameOf && others > 0)
    return new CommandFailedError(
      `More than ${MOST_NAMED} ${noun}s have an id that begins with "${text}": give more of it; see "${list}"`,
    );
  const more = others === 0 ? '' : `, and ${others} more`;
  return new CommandFailedError(
    `"${text}" is ${candidates.length} ${noun}s: ${shown.join(', ')}${more}; give one of these ids`,
  );
}
