import type { Pool, PoolClient } from 'pg';
import { Database } from '../../src/database/database.js';
import { poolOf } from '../../src/database/sql.js';
import type { TestApp } from './test-app.js';

/** A statement that the service sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly connection: PoolClient;
}

/** Scan of a table that PostgreSQL made for a statement. */
export interface Scan {
  readonly table: string;
  /** Rows that the scan read, including filtered ones. */
  readonly rows: number;
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The statements that the service sends for its callers during the work, without those of the background. */
export async function statementsOf(
  app: TestApp,
  work: () => Promise<unknown>,
  by: 'requests' | 'jobs' = 'requests',
): Promise<SentStatement[]> {
  const pools = poolsOf(app, by);
  const sent: SentStatement[] = [];
  const originals = new Map<PoolClient, PoolClient['query']>();
  const watch = (client: PoolClient): void => {
    if (originals.has(client)) return;
    const send = client.query;
    originals.set(client, send);
    client.query = ((...given: [string | Pick<SentStatement, 'text' | 'values'>, unknown[]?]) => {
      const [statement, values = []] = given;
      const { text, ...rest } = typeof statement === 'string' ? { text: statement, values } : statement;
      sent.push({ text, values: rest.values, connection: client });
      return Reflect.apply(send, client, given) as Promise<unknown>;
    }) as PoolClient['query'];
  };
  for (const pool of pools) pool.on('acquire', watch);
  try {
    await work();
  } finally {
    for (const pool of pools) pool.off('acquire', watch);
    for (const [client, send] of originals) client.query = send;
  }
  return sent;
}

/** Runs a SELECT again, and returns the tables that it read, without those of its plan that were never read. */
export async function scansOf(app: TestApp, { text, values }: SentStatement): Promise<Scan[]> {
  const [row] = await app.database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
    [...values],
  );
  const scans: Scan[] = [];
  const visit = (node: PlanNode): void => {
    const table = node['Relation Name'];
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    if (table !== undefined && node['Actual Loops'] > 0) scans.push({ table, rows });
    node.Plans?.forEach(visit);
  };
  visit(row!['QUERY PLAN'][0].Plan);
  return scans;
}

function poolsOf(app: TestApp, by: 'requests' | 'jobs'): Pool[] {
  const { runtimes, people, searches, background } = app.app.get(Database);
  const pools = by === 'jobs' ? [background] : [runtimes, people, searches];
  return pools.map((pool) => poolOf(pool.requireDataSource()));
}
