import { type Command, type CommandInput, defineCommand } from './command.js';
import type { CommandDeclaration, CommandOption } from './command-declaration.js';
import type { Context } from './context.js';
import type { Reply } from './find-resource.js';
import { type Column, printList } from './output/table.js';
import {
  PAGE,
  pageOptions,
  type PageOptions,
  type PageQuery,
  readPageOptions,
  readPages,
  idOf,
} from './paging.js';
import { projectColumn } from './project-column.js';
import { watchList } from './watched-list.js';

/** A command that prints a list, of which the options of pages choose a part. */
interface ListDeclaration<Item, Options, Query> extends CommandDeclaration {
  /** Converts its own arguments and options, as `read` of a command does. @throws UsageError */
  readonly read: (input: CommandInput) => Options;
  /** Looks up what the options name. @returns the request for one page */
  readonly pages: (
    options: Options,
    context: Context,
  ) => Promise<(query: Query) => Promise<Reply<Item>>> | ((query: Query) => Promise<Reply<Item>>);
  /** Hint for an empty list: the next step. */
  readonly ifEmpty: string;
}

interface List<Item, Options> extends ListDeclaration<Item, Options, PageQuery> {
  /** The service's largest page; absent: that of resources. */
  readonly pageSize?: number;
  /** Returns the identity of an item; absent: its `id`. */
  readonly keyOf?: (item: Item) => unknown;
  readonly columns: (
    context: Context,
    items: readonly Item[],
  ) => readonly Column<Item>[] | Promise<readonly Column<Item>[]>;
}

/** A list of resources of projects: those of the command's project, else of all that the caller has. */
interface ProjectList<Item, Options> extends ListDeclaration<
  Item,
  Options,
  PageQuery & { readonly project_id: string | undefined }
> {
  readonly columns: (context: Context) => readonly Column<Item>[];
}

export interface ListOptions<Options> {
  readonly page: PageOptions;
  readonly given: Options;
  /** True: it continues with what changes. */
  readonly isWatched: boolean;
}

const watchOption: CommandOption = {
  flags: '-w, --watch',
  description: 'keep showing what is new or changes, until Ctrl-C',
};

export function defineList<Item extends object, Options>(
  list: List<Item, Options>,
): Command<ListOptions<Options>> {
  const { options = [], read, pages, pageSize = PAGE.resources, keyOf, columns, ifEmpty, ...declared } = list;
  return defineCommand({
    ...declared,
    options: [...options, ...pageOptions, watchOption],
    read: (input) => ({ page: readPageOptions(input), given: read(input), isWatched: input.flag('watch') }),
    async run({ page, given, isWatched }, context) {
      const readPage = await pages(given, context);
      const readPart = () => readPages(page, pageSize, readPage, keyOf);
      if (isWatched)
        return watchList(
          context,
          async () => (await readPart()).items,
          (items) => columns(context, items),
          keyOf ?? idOf,
        );
      const found = await readPart();
      printList(context, { ...found, columns: await columns(context, found.items), ifEmpty });
    },
  });
}

/** As {@link defineList}; rows of several projects name theirs. */
export function defineProjectList<Item extends { readonly project_id: string }, Options>({
  pages,
  columns,
  ...list
}: ProjectList<Item, Options>): Command<ListOptions<Options>> {
  return defineList<Item, Options>({
    ...list,
    async pages(options, context) {
      const project_id = await context.projectId();
      const readPage = await pages(options, context);
      return (query) => readPage({ ...query, project_id });
    },
    columns: async (context, items) => [...columns(context), ...(await projectColumn(context, items))],
  });
}
