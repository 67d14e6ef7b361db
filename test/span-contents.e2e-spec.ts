import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import type { TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { addMember, createProject } from './builders/projects.js';
import { ask, claim, createWorker } from './builders/runs.js';
import {
  type ExportedSpan,
  exportSpans,
  llmSpan,
  newSpanId,
  newTraceId,
  toolSpan,
} from './builders/traces.js';
import { expectError } from './harness/error-shape.js';
import { resealSecrets } from './harness/reseal-secrets.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const OLD = 'the old key for tests, of more than thirty-two bytes';
const NEW = 'the new key for tests, of more than thirty-two bytes';
const SECRET = 'a word that nobody should read';
/** Room for one content of half of the day's bytes, and not for another one. */
const SETTINGS = { WEBHOOK_SECRET_KEY: OLD, MAX_CONTENT_BYTES_PER_AGENT: '60000' };

let app: TestApp;
let other: TestApp;
let person: Person;
let projectId: string;

beforeAll(async () => {
  app = await startTestApp({ settings: SETTINGS });
  other = await startTestApp({ settings: SETTINGS, database: app.database });
  person = await registerPerson(app);
  projectId = await createProject(person);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

/** An agent that keeps content, with a run. */
async function startWorker(capture?: string) {
  const worker = await createWorker(app, person, { capture, project_id: projectId });
  const { id: runId } = await ask(person, worker);
  const [run] = await claim(worker, { limit: 1 });
  const [, traceId] = String(run!.traceparent).split('-');
  return { worker, runId, traceId: traceId! };
}

const TOOL = { 'gen_ai.tool.call.arguments': `{"q":"${SECRET}"}`, 'gen_ai.tool.call.result': SECRET };
const CHAT = {
  'gen_ai.input.messages': SECRET,
  'gen_ai.output.messages': SECRET,
  'gen_ai.system_instructions': SECRET,
  'input.value': SECRET,
  'output.value': SECRET,
};

/** A content as a reply has it. */
const shown = (attributes: object | null, omitted: string | null = null) => ({
  attributes,
  events: null,
  dropped_events: 0,
  omitted,
});

/** Exports a call of a tool and one of a model, with what they contain. @returns their ids */
async function exportBoth(worker: TestAgent, traceId: string) {
  const [tool, chat] = [newSpanId(), newSpanId()];
  await exportSpans(worker, [
    toolSpan({ traceId, spanId: tool, attributes: TOOL }),
    llmSpan({ traceId, spanId: chat, attributes: CHAT }),
  ]);
  return { tool, chat };
}

const read = async (runId: string, spanId: string, reader = person, query = '?reveal=true') =>
  reader.api.get(`/runs/${runId}/spans/${spanId}${query}`);
const contentOf = async (runId: string, spanId: string): Promise<any> =>
  (await read(runId, spanId)).body.content;
const looksAt = async (runId: string): Promise<any[]> =>
  (await person.api.get(`/audit?action=run.reveal&target_id=${runId}`)).body;

describe('What the spans of an agent contain', () => {
  it('is not stored by default', async () => {
    const { worker, runId, traceId } = await startWorker();
    expect((await person.api.get(`/agents/${worker.id}`)).body.capture).toBe('none');
    const { tool, chat } = await exportBoth(worker, traceId);
    for (const id of [tool, chat])
      expect((await read(runId, id)).body).toMatchObject({ has_content: false, content: null });
    expect(await looksAt(runId)).toEqual([]);
  });

  it('is kept only for tools with "tools"', async () => {
    const { worker, runId, traceId } = await startWorker('tools');
    const { tool, chat } = await exportBoth(worker, traceId);
    expect(await contentOf(runId, tool)).toEqual(shown(TOOL));
    expect((await read(runId, chat)).body).toMatchObject({ has_content: false, content: null });
  });

  it('is kept of everything with "all", with events', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const { tool, chat } = await exportBoth(worker, traceId);
    expect(await contentOf(runId, tool)).toEqual(shown(TOOL));
    expect(await contentOf(runId, chat)).toEqual(shown(CHAT));
  });

  it('is absent in lists and in replies without an explicit request', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const { chat } = await exportBoth(worker, traceId);
    const { body } = await read(runId, chat, person, '');
    expect(body).toMatchObject({ has_content: true, content: null });
    const { body: list } = await person.api.get(`/runs/${runId}/spans`);
    expect(JSON.stringify([body, list])).not.toContain(SECRET);
    expect(await looksAt(runId)).toEqual([]);
  });

  it('is visible only to maintainers, and each look has an entry in the audit log', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const { chat } = await exportBoth(worker, traceId);
    for (const role of ['viewer', 'deployer'] as const) {
      const member = await addMember(app, person, projectId, role);
      expectError(await read(runId, chat, member), 403, 'Missing role: maintainer');
      expect((await read(runId, chat, member, '')).body).toMatchObject({ has_content: true, content: null });
    }
    const key = await person.api.post('/api-keys', { name: 'reads', scopes: ['read'] });
    const reading = { ...person, api: app.api.as(key.body.key) };
    expectError(await read(runId, chat, reading), 403, 'Missing scope: agents');
    const operator = await registerOperator(app);
    expect((await read(runId, chat, operator)).status).toBe(404);
    expect(await looksAt(runId)).toEqual([]);
    const maintainer = await addMember(app, person, projectId, 'maintainer');
    for (let look = 0; look < 2; look++)
      expect((await read(runId, chat, maintainer)).body.content.attributes).toEqual(CHAT);
    const entry = { actor: `user:${maintainer.id}`, details: { span_id: chat, trace_id: traceId } };
    expect(await looksAt(runId)).toMatchObject([entry, entry]);
  });

  it('is changed only by maintainers, which the audit log records, and applies at once on every instance', async () => {
    const { worker, runId, traceId } = await startWorker();
    const deployer = await addMember(app, person, projectId, 'deployer');
    expectError(
      await deployer.api.patch(`/agents/${worker.id}`, { capture: 'all' }),
      403,
      'Missing role: maintainer',
    );
    const elsewhere = { ...worker, runtime: other.api.as(worker.key) };
    for (const [capture, isKept] of [
      ['all', true],
      ['none', false],
      ['tools', true],
      [null, false],
    ] as const) {
      expect((await person.api.patch(`/agents/${worker.id}`, { capture })).body.capture).toBe(
        capture ?? 'none',
      );
      const { tool } = await exportBoth(elsewhere, traceId);
      expect((await read(runId, tool)).body.has_content).toBe(isKept);
    }
    const { body } = await person.api.get(`/audit?action=agent.update&target_id=${worker.id}`);
    expect(body.map(({ details }: any) => details.capture)).toEqual(['none', 'tools', 'none', 'all']);
  });

  it('refuses an unknown word', async () => {
    const { worker } = await startWorker();
    expect((await person.api.patch(`/agents/${worker.id}`, { capture: 'some' })).status).toBe(422);
  });
});

describe('The content that is kept', () => {
  /** The rows of a run's spans, directly from the database. */
  const stored = (runId: string) =>
    app.database.query<{ id: string; content: string }>(
      `SELECT kept.id, kept.content FROM agent_span_contents AS kept
       JOIN agent_spans AS span USING (agent_id, "timestamp", id) WHERE span.run_id = $1 ORDER BY kept.id`,
      [runId],
    );

  it('is sealed, and bound to its span', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const { tool, chat } = await exportBoth(worker, traceId);
    const rows = await stored(runId);
    expect(rows.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^sealed:/),
      expect.stringMatching(/^sealed:/),
    ]);
    await app.database.query(
      `UPDATE agent_span_contents SET content = CASE id WHEN $1 THEN $2 ELSE $3 END WHERE id IN ($1, $4)`,
      [rows[0]!.id, rows[1]!.content, rows[0]!.content, rows[1]!.id],
    );
    for (const id of [tool, chat])
      expect(await contentOf(runId, id)).toEqual(
        shown(null, "It can't be read: it was changed since it was sealed"),
      );
  });

  it('is stored once where its span is sent again', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const span: ExportedSpan = toolSpan({
      traceId,
      spanId: newSpanId(),
      startedAt: Date.now() - 5_000,
      attributes: TOOL,
    });
    await Promise.all([exportSpans(worker, [span]), exportSpans(worker, [span])]);
    await exportSpans(worker, [span]);
    expect(await stored(runId)).toHaveLength(1);
    expect((await contentOf(runId, span.spanId!)).attributes).toEqual(TOOL);
  });

  it('is cut, and says so, where it is longer than there is room for', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const spanId = newSpanId();
    const attributes = { 'gen_ai.output.messages': 'x'.repeat(40_000) };
    await exportSpans(worker, [llmSpan({ traceId, spanId, attributes })]);
    const text = (await contentOf(runId, spanId)).attributes['gen_ai.output.messages'];
    expect(text).toBe(`${'x'.repeat(32_768)}…[truncated]`);
  });

  it('is left out, and says so, where its agent has no room left on that day', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const attributes = { 'gen_ai.output.messages': 'x'.repeat(30_000) };
    const spanIds = Array.from({ length: 3 }, newSpanId);
    for (const spanId of spanIds) await exportSpans(worker, [llmSpan({ traceId, spanId, attributes })]);
    const omitted = "The agent's quota of that day was used up";
    expect((await contentOf(runId, spanIds[0]!)).attributes).toEqual(attributes);
    for (const spanId of spanIds.slice(1))
      expect(await contentOf(runId, spanId)).toEqual(shown(null, omitted));
    await app.database.query(`UPDATE agent_content_sizes SET day = day - 1 WHERE agent_id = $1`, [worker.id]);
    const next = newSpanId();
    await exportSpans(worker, [llmSpan({ traceId, spanId: next, attributes })]);
    expect((await contentOf(runId, next)).omitted).toBeNull();
  });

  it('is dropped with its spans, and with its agent', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const old = { traceId, spanId: newSpanId(), startedAt: Date.now() - 30 * 24 * 3_600_000 };
    await exportSpans(worker, [
      toolSpan({ ...old, attributes: TOOL }),
      toolSpan({ traceId, attributes: TOOL }),
    ]);
    expect(await stored(runId)).toHaveLength(2);
    await until(() => app.app.get(PeriodicJobs).runOnce('telemetryRowRetention'));
    expect(await stored(runId)).toHaveLength(1);
    const left = () =>
      app.database.query('SELECT id FROM agent_span_contents WHERE agent_id = $1', [worker.id]);
    expect(await left()).toHaveLength(1);
    await person.api.delete(`/agents/${worker.id}`);
    await until(() => app.app.get(PeriodicJobs).runOnce('removalPurge'));
    expect(await left()).toEqual([]);
  });
});

describe('A span id that two traces of a run have', () => {
  it('names the first to begin, and the id of each names that one', async () => {
    const { worker, runId } = await startWorker();
    const spanId = newSpanId();
    const spans = [1, 2].map((n) =>
      llmSpan({
        traceId: newTraceId(),
        spanId,
        startedAt: Date.now() - n * 1_000,
        attributes: { 'my.number': n },
      }),
    );
    await exportSpans(worker, spans, { 'agent_control_plane.run_id': runId });
    const { body: list } = await person.api.get(`/runs/${runId}/spans`);
    expect(list.map((span: any) => span.span_id)).toEqual([spanId, spanId]);
    const numberOf = async (name: string) =>
      (await read(runId, name, person, '')).body.attributes['my.number'];
    expect(await numberOf(spanId)).toBe(2);
    expect([await numberOf(list[0].id), await numberOf(list[1].id)]).toEqual([2, 1]);
    const { body: rest } = await person.api.get(`/runs/${runId}/spans?after=${list[0].id}`);
    expect(rest.map((span: any) => span.id)).toEqual([list[1].id]);
  });
});

describe('A changed key', () => {
  it('seals the content of spans again with everything else', async () => {
    const { worker, runId, traceId } = await startWorker('all');
    const { tool } = await exportBoth(worker, traceId);
    const keys = { WEBHOOK_SECRET_KEY: NEW, WEBHOOK_SECRET_KEY_PREVIOUS: OLD };
    expect(await resealSecrets(app.database, keys)).toMatchObject({ stderr: '' });
    const third = await startTestApp({ settings: { WEBHOOK_SECRET_KEY: NEW }, database: app.database });
    const reader = { ...person, api: third.api.as(person.accessToken) };
    expect((await read(runId, tool, reader)).body.content).toMatchObject({ attributes: TOOL });
    await third.close();
  });
});
