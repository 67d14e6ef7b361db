import { migrate } from '../../src/database/migrate.js';
import { migrations } from '../../src/schema-migrations.js';
import { entities } from '../../src/schema.js';
import { BenchDatabase } from '../fleet/bench-database.js';
import { fillLogs } from './filled-logs.js';

/**
 * `npm run bench:growth [-- rows ...]`: whether the newest hundred log lines of one agent, and of one deployment, cost
 * the same to read when the table has grown. Each size is a fresh database. Prints PostgreSQL's plan and counts; ends
 * with 1 when reading the largest table takes more than one and a half times as long as reading the smallest.
 */
const ALLOWED_GROWTH = 1.5;
const ROUNDS = 41;
const sizes = process.argv.slice(2).map(Number);

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

interface Explanation {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode; readonly 'Execution Time': number }];
}

interface Reading {
  readonly medianMs: number;
  readonly pages: number;
  readonly plan: PlanNode;
}

/** The statement that the service runs for the first page of a list without filters. */
async function read(database: BenchDatabase, column: string, id: string): Promise<Reading> {
  const timings: number[] = [];
  let plan: PlanNode | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const [row] = await database.query<Explanation>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
       SELECT id, agent_id, deployment_id, "timestamp", level, message, metadata FROM agent_logs
       WHERE ${column} = $1 ORDER BY "timestamp" DESC, id DESC LIMIT 101`,
      [id],
    );
    const [explained] = row!['QUERY PLAN'];
    timings.push(explained['Execution Time']);
    plan = explained.Plan;
  }
  timings.sort((one, other) => one - other);
  return {
    medianMs: timings[Math.floor(ROUNDS / 2)]!,
    pages: plan!['Shared Hit Blocks'] + plan!['Shared Read Blocks'],
    plan: plan!,
  };
}

/** The plan in short: each kind of node with its index, and how many there are of it. */
function outline(node: PlanNode): string {
  const counts = new Map<string, number>();
  const walk = (each: PlanNode): void => {
    const index = each['Index Name']?.replace(/_p\d{8}.*|_default.*/, '_*');
    const name = index ? `${each['Node Type']} on ${index}` : each['Node Type'];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    each.Plans?.forEach(walk);
  };
  walk(node);
  return [...counts].map(([name, count]) => (count > 1 ? `${count} x ${name}` : name)).join(' > ');
}

const timesOf: Record<string, number[]> = { agent_id: [], deployment_id: [] };
for (const rows of sizes.length > 0 ? sizes : [10_000, 10_000_000]) {
  const database = await BenchDatabase.open();
  try {
    await migrate({ target: { url: database.url }, entities, migrations });
    const subject = await fillLogs(database, rows);
    for (const [column, id] of [
      ['agent_id', subject.agentId],
      ['deployment_id', subject.deploymentId],
    ] as const) {
      const { medianMs, pages, plan } = await read(database, column, id);
      timesOf[column]!.push(medianMs);
      process.stdout.write(
        `${rows.toLocaleString('en')} rows, by ${column}: ${medianMs.toFixed(2)} ms (median of ${ROUNDS}), ${pages} pages\n` +
          `    ${outline(plan)}\n`,
      );
    }
  } finally {
    await database.close();
  }
}
for (const [column, times] of Object.entries(timesOf)) {
  const growth = times.at(-1)! / times[0]!;
  process.stdout.write(`by ${column}: ${growth.toFixed(2)} times as long\n`);
  if (growth > ALLOWED_GROWTH) process.exitCode = 1;
}
