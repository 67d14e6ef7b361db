import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '../builders/agents.js';
import { askApproval, workingOn } from '../builders/approvals.js';
import { type Person, registerPerson } from '../builders/people.js';
import { addMember, createProject } from '../builders/projects.js';
import { exportLoop } from '../builders/traces.js';
import { storeUsage } from '../builders/usage.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

/** One more than a page has. */
const LOGS = 501;
const MODELS = 1_001;
const SECRET = 'sk-of-the-agent-which-nobody-exports';

let app: TestApp;
let ada: Person;
let svc: Svc;
let base: string;
let project: string;
let folder: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-export-'));
  folder = join(base, 'payments');
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
  project = await createProject(ada, 'payments');
  await createAgent(app, ada, { name: 'elsewhere' });
  const config = { env: { API_KEY: SECRET }, model: 'm' };
  const { worker, runId } = await workingOn(app, ada, { name: 'payer', project_id: project, config });
  await askApproval(worker, { run_id: runId });
  await exportLoop(worker, runId);
  for (const count of [LOGS - 1, 1]) {
    const logs = Array.from({ length: count }, (_, index) => ({ level: 'info', message: `line ${index}` }));
    expect((await worker.runtime.post('/agents/logs', { logs })).status).toBe(200);
  }
  await worker.runtime.post('/agents/metrics', { cpu_usage: 12 });
  const used = { project_id: project, agent_id: worker.id, at: new Date().toISOString(), llm_calls: 1 };
  await storeUsage(
    app,
    Array.from({ length: MODELS }, (_, index) => ({ ...used, model: `model ${index}` })),
  );
  await ada.api.post('/webhooks/', {
    url: 'https://example.com/hook',
    events: ['agent.created'],
    project_id: project,
  });
  await ada.api.post('/api-keys', { name: 'ci', project_id: project, role: 'viewer' });
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
  await rm(base, { recursive: true });
});

async function recordsOf(name: string): Promise<any[]> {
  const lines = (await readFile(join(folder, name), 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as unknown);
}

const stateOf = async () => JSON.parse(await readFile(join(folder, 'export.json'), 'utf8'));

describe('svc projects export', () => {
  it('writes each list of the project as a file, and the number of its records', async () => {
    const state = await svc.json(['projects', 'export', 'payments', folder]);
    expect(state).toMatchObject({ format: 1, project: { id: project }, left_out: [] });
    expect(state).toEqual(await stateOf());
    const names = state.files.map(({ name }: { name: string }) => name);
    expect((await readdir(folder)).sort()).toEqual(['export.json', ...names].sort());
    for (const { name, records } of state.files) expect(await recordsOf(name)).toHaveLength(records);
    const empty = state.files.filter(({ records }: { records: number }) => records === 0);
    expect(empty.map(({ name }: { name: string }) => name)).toEqual([
      'schedules.ndjson',
      'pauses.ndjson',
      'budgets.ndjson',
    ]);
    expect((await stat(join(folder, 'logs.ndjson'))).mode & 0o777).toBe(0o600);
  });

  it('writes all pages of a list, nothing of another project, and no secret of a config', async () => {
    expect(new Set((await recordsOf('logs.ndjson')).map(({ id }) => id)).size).toBe(LOGS);
    const usage = await recordsOf('usage.ndjson');
    const models = usage.flatMap(({ group_by, model }) => (group_by === 'model' ? [model] : []));
    expect(new Set(models.filter((model) => model?.startsWith('model '))).size).toBe(MODELS);
    expect(new Set(models).size).toBe(models.length);
    expect((await recordsOf('agents.ndjson')).map(({ name }) => name)).toEqual(['payer']);
    expect((await recordsOf('audit.ndjson')).every((entry) => entry.project_id === project)).toBe(true);
    for (const name of await readdir(folder))
      expect(await readFile(join(folder, name), 'utf8')).not.toContain(SECRET);
  });

  it('completes an interrupted export, and keeps its complete files', async () => {
    const state = await stateOf();
    const files = state.files.filter(({ name }: { name: string }) => name !== 'logs.ndjson');
    await writeFile(join(folder, 'export.json'), JSON.stringify({ ...state, finished_at: null, files }));
    await rm(join(folder, 'logs.ndjson'));
    await writeFile(join(folder, 'logs.ndjson.part'), '{"id":"half a li');
    await writeFile(join(folder, 'agents.ndjson'), '{"name":"kept"}\n');
    const { code, stderr } = await svc.run(['projects', 'export', 'payments', folder]);
    expect([code, stderr]).toEqual([0, `logs.ndjson: ${LOGS}\n`]);
    expect(await recordsOf('logs.ndjson')).toHaveLength(LOGS);
    expect(await recordsOf('agents.ndjson')).toEqual([{ name: 'kept' }]);
    expect(await readdir(folder)).not.toContain('logs.ndjson.part');
  });

  it.each([
    ['a finished export', () => folder, ['payments'], /holds an export that was finished at/],
    ['an export of another project', () => folder, ['Personal'], /contains the export of another project/],
    ['other files', () => base, ['payments'], /contains something other than an export/],
  ])('refuses a folder with %s', async (_, place, named, message) => {
    const { code, stderr } = await svc.run(['projects', 'export', ...named, place()]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  it('leaves out lists that a viewer may not read, and gives the reason', async () => {
    const viewer = await addMember(app, ada, project, 'viewer');
    const theirs = await Svc.loggedIn(app.url, viewer.email);
    const state = await theirs.json(['projects', 'export', 'payments', join(base, 'viewed')]);
    await theirs.removeHome();
    expect(state.left_out).toEqual([{ name: 'api-keys.ndjson', reason: 'Missing role: maintainer' }]);
    const counts = Object.fromEntries(state.files.map(({ name, records }: any) => [name, records]));
    expect(counts).toMatchObject({ 'agents.ndjson': 1, 'logs.ndjson': LOGS });
  });
});
