import { Client } from 'pg';
import { parseTree } from './parse-tree.js';
import { type Catalogue, type Refusal, refusedForms, SPREAD_TABLES } from './refused-forms.js';
import { returnStatement, takeStatements } from './sent-statements.mjs';
import type { TestDatabase } from './test-database.js';

/** PostgreSQL's codes for a table or column that another suite's database has, and for a table that the suite has locked. */
const NOT_NOW = ['42P01', '42703', '55P03'];
/** Codes of a server that its suite has stopped. */
const STOPPED = ['ECONNREFUSED', 'ENOENT'];
/** The beginning of a statement on rows: others, as on partitions, have no tree. */
const ON_ROWS = /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE|MERGE)\b/i;
/** Words of a write, or the name of a table that a cluster spreads. */
const JUDGED = new RegExp(`\\b(INSERT|UPDATE|DELETE|MERGE|${SPREAD_TABLES})\\b`, 'i');
/** The tree of a statement other than PREPARE and DEALLOCATE themselves. */
const TREE = /^\{QUERY :commandType\s[1-5]/;

/** Reads statements as PostgreSQL does, on a connection of its own. */
export class StatementJudge {
  private constructor(
    private readonly client: Client,
    private readonly catalogue: Catalogue,
  ) {}

  static async of({ target }: Pick<TestDatabase, 'target'>): Promise<StatementJudge> {
    const client = new Client(target);
    await client.connect();
    const { rows: functions } = await client.query<{ oid: string }>(
      `SELECT oid::text FROM pg_proc WHERE provolatile <> 'i'`,
    );
    const { rows: tables } = await client.query<{ oid: string; relname: string }>(
      'SELECT oid::text, relname FROM pg_class',
    );
    await client.query(`SET debug_print_parse = on; SET debug_pretty_print = off;
      SET client_min_messages = log; SET lock_timeout = '50ms'`);
    // The trees go to this connection, and none into the server's log, where the role may say so.
    await client.query(`SELECT set_config('log_min_messages', 'fatal', false) FROM pg_roles
      WHERE rolname = current_user AND rolsuper`);
    const mutable = new Set(functions.map(({ oid }) => oid));
    return new StatementJudge(client, {
      mutable,
      tables: new Map(tables.map(({ oid, relname }) => [oid, relname])),
    });
  }

  /** The refused forms of a statement. */
  async refusals(text: string): Promise<Refusal[]> {
    const trees: string[] = [];
    const listen = ({ detail = '' }: { detail?: string | undefined }) => void trees.push(detail);
    this.client.on('notice', listen);
    try {
      await this.client.query(`PREPARE judged AS ${text};\nDEALLOCATE judged`);
    } finally {
      this.client.off('notice', listen);
    }
    return refusedForms(parseTree(trees.find((tree) => TREE.test(tree))!), this.catalogue);
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

/** Judges the statements that the service has sent and that this worker has not judged yet. @throws Error if one has a refused form */
export async function expectNoRefusedForms(database: TestDatabase): Promise<void> {
  const texts = takeStatements().filter((text) => ON_ROWS.test(text) && JUDGED.test(text));
  if (texts.length === 0) return;
  const judge = await StatementJudge.of(database).catch((error: unknown) => {
    if (!STOPPED.includes((error as { code?: string }).code ?? '')) throw error;
    texts.forEach(returnStatement);
    return undefined;
  });
  if (!judge) return;
  try {
    const found: string[] = [];
    for (const text of texts) {
      const refusals = await judge.refusals(text).catch((error: unknown) => {
        if (!NOT_NOW.includes((error as { code?: string }).code ?? '')) throw error;
        returnStatement(text);
        return [];
      });
      found.push(...refusals.map(({ table, form }) => `${form}, of ${table}: ${text}`));
    }
    if (found.length > 0)
      throw new Error(`Statements that no server in front of several others takes:\n${found.join('\n')}`);
  } finally {
    await judge.end();
  }
}
