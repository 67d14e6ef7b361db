import type { Context } from './context.js';
import { CommandFailedError } from './failures.js';
import { isId } from './option-values.js';
import { ALL_PAGES, PAGE, type PageQuery, readPages } from './paging.js';

/** A kind of resource that people name on a command line. */
export interface ResourceKind<Item extends { readonly id: string }> {
  /** As messages call it: `agent`. */
  readonly noun: string;
  /** The command that lists them: `svc agents list`. */
  readonly list: string;
  /** A page of the resources that the text may mean; it may hold others. @param text empty: all */
  readonly read: (
    context: Context,
    text: string,
    page: PageQuery,
    signal?: AbortSignal,
  ) => Promise<Reply<Item>>;
  readonly nameOf: (item: Item) => string;
  /** What tells an item from others of the same name. */
  readonly describe: (item: Item) => string;
  /** Which of those with the same name are meant first: the ones that are active. */
  readonly isPreferred?: (item: Item) => boolean;
}

export interface Reply<Item> {
  readonly data?: readonly Item[];
  readonly response: Response;
}

/** How many candidates an error names. */
const MOST_NAMED = 10;
/** A shorter beginning of an id may be a slip of the finger. */
const LEAST_PREFIX = 4;

/**
 * The id of the resource that somebody means by its id, its name, or the beginning of its id. A whole id is taken as it is.
 *
 * @throws CommandFailedError when nothing or more than one is meant; it lists the candidates
 */
export async function findId<Item extends { readonly id: string }>(
  context: Context,
  kind: ResourceKind<Item>,
  text: string,
): Promise<string> {
  if (isId(text)) return text.toLowerCase();
  const { items } = await readPages(ALL_PAGES, PAGE.resources, (page) => kind.read(context, text, page));
  const candidates = meant(items, kind, text);
  const [only] = candidates;
  if (!only)
    throw new CommandFailedError(
      `No ${kind.noun} has the name "${text}", or an id that begins with it: see "${kind.list}"`,
    );
  if (candidates.length > 1) throw ambiguous(candidates, kind, text);
  return only.id;
}

/** The items that a text means; names win over beginnings of ids. */
export function meant<Item extends { readonly id: string }>(
  items: readonly Item[],
  { nameOf, isPreferred = () => false }: ResourceKind<Item>,
  text: string,
): readonly Item[] {
  const named = items.filter((item) => nameOf(item) === text);
  if (named.length === 0)
    return text.length < LEAST_PREFIX ? [] : items.filter(({ id }) => id.startsWith(text.toLowerCase()));
  const preferred = named.filter(isPreferred);
  return preferred.length > 0 ? preferred : named;
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
