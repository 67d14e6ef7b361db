import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { PageRequest } from './page.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

interface Statement<Name extends string> {
  readonly text: string;
  /** Names of its parameters, in the order of `$1`, `$2`, ... */
  readonly order: readonly Name[];
}

/**
 * A TypeORM query whose text is built once, and planned once by each connection. TypeORM takes 0.1 to 0.3 ms to build
 * the text of a query, most of the processor's time of a read; so the most frequent reads are prepared.
 */
export class PreparedQuery<Name extends string> {
  private statement: Statement<Name> | undefined;

  /**
   * @param name unique: a connection refuses another text under the same name
   * @param names of all parameters in {@link build} (`:agentId`), and of no others
   * @param build a query of any kind; the values of its parameters are not used
   * @param finish changes the text of the query, to which it may add the parameters of `names`
   */
  constructor(
    private readonly name: string,
    private readonly names: readonly Name[],
    private readonly build: (connection: Connection) => Pick<SelectQueryBuilder<ObjectLiteral>, 'getQuery'>,
    private readonly finish: (text: string) => string = (text) => text,
  ) {}

  rows<Row>(connection: Connection, values: Readonly<Record<Name, unknown>>): Promise<Row[]> {
    const { text, order } = (this.statement ??= this.prepare(connection));
    return rowsOf<Row>(
      connection,
      { name: this.name, text },
      order.map((name) => values[name]),
    );
  }

  private prepare(connection: Connection): Statement<Name> {
    const query = this.build(connection);
    // Each parameter has its own name as its value, which shows the order in which TypeORM numbers them.
    const named = Object.fromEntries(this.names.map((name) => [name, name]));
    const [text, order] = connection.dataSource.driver.escapeQueryWithParameters(
      this.finish(query.getQuery()),
      named,
    );
    return { text, order: order as Name[] };
  }
}

/** SQL for a parameter that is a list of ids, `= ANY (${idList('ids')})`, in the form of `lists` (sql.ts). */
export function idList(name: string): string {
  return `(SELECT :${name}::uuid[])::uuid[]`;
}

/** Returns true for the page that is asked for most: the first one, of the usual size, without a count. */
export function isFirstPage({ skip, before, limit, includeTotal }: PageRequest, usualLimit: number): boolean {
  return skip === 0 && before === undefined && limit === usualLimit && !includeTotal;
}
