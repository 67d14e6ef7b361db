import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { createAgent } from '../builders/agents.js';
import { registerOperator, registerPerson } from '../builders/people.js';
import { exportSpans, llmSpan } from '../builders/traces.js';
import { urlOf } from '../harness/child-service.js';
import { installedPostgresVersions, startInstalledPostgres } from '../harness/installed-postgres.mjs';
import { startTestApp } from '../harness/test-app.js';
import { type TestDatabase, testDatabaseAt } from '../harness/test-database.js';

/** The newest PostgreSQL of this machine, if its programs are there: the embedded one comes without them. */
const major = installedPostgresVersions().at(-1);
const hasPrograms = ['pg_dump', 'psql', 'bash'].every((it) => spawnSync(it, ['--version']).status === 0);
const walk = major !== undefined && hasPrograms ? it : it.skip;
const PATIENCE_MS = 120_000;

/** The commands of a chapter of the page, without the addresses, which the environment has. */
async function commandsOf(chapter: string): Promise<string[]> {
  const page = await readFile('docs/telemetry-database.md', 'utf8');
  const [, text = ''] = page.split(`## ${chapter}\n`);
  const blocks = [...text.split('\n## ')[0]!.matchAll(/```sh\n([\s\S]*?)```/g)];
  return blocks.map(([, block]) => block!.replaceAll(/^export .*\n/gm, ''));
}

async function run(command: string, main: TestDatabase, telemetry: TestDatabase): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euc', command], {
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      DATABASE_URL: urlOf(main.target),
      TELEMETRY_DATABASE_URL: urlOf(telemetry.target),
    },
    timeout: PATIENCE_MS,
  });
  return stdout;
}

walk(
  'moves the telemetry that is there, and the service goes on with both (skipped without pg_dump and a PostgreSQL of this machine)',
  async () => {
    const servers = [await startInstalledPostgres(major!), await startInstalledPostgres(major!)];
    const [main, telemetry] = servers.map((it) => testDatabaseAt(it.connection, () => it.stop()));
    try {
      const before = await startTestApp({ database: main! });
      await registerOperator(before);
      const person = await registerPerson(before);
      const agent = await createAgent(before, person);
      expect((await agent.runtime.post('/agents/logs', { level: 'info', message: 'first' })).status).toBe(
        200,
      );
      expect((await agent.runtime.post('/agents/metrics', { cpu_usage: 1 })).status).toBe(200);
      await exportSpans(agent, [llmSpan()]);
      await before.close();

      const [migrate, copy, check] = await commandsOf('Move the telemetry that is there');
      await run(migrate!, main!, telemetry!);
      await run(copy!, main!, telemetry!);
      const settings = { TELEMETRY_DATABASE_URL: urlOf(telemetry!.target) };
      const after = await startTestApp({ database: main!, settings });
      expect(await run(check!, main!, telemetry!)).toMatch(/ 0 do not, 0 could not be checked/);
      const runtime = after.api.as(agent.key);
      expect((await runtime.post('/agents/logs', { level: 'info', message: 'second' })).status).toBe(200);
      const { body } = await after.api.as(person.accessToken).get(`/agents/${agent.id}/logs`);
      expect(body.map(({ message }: { message: string }) => message).sort()).toEqual(['first', 'second']);
      for (const [table, count] of [
        ['agent_logs', 2],
        ['agent_metrics', 1],
        ['agent_spans', 1],
      ] as const) {
        expect(await telemetry!.query(`SELECT FROM ${table}`)).toHaveLength(count);
        expect(await main!.query(`SELECT FROM ${table}`)).toEqual([]);
      }
      await after.close();
    } finally {
      await Promise.all([main!.drop(), telemetry!.drop()]);
    }
  },
  PATIENCE_MS,
);
