import { createAgent, report } from './builders/agents.js';
import { askApproval, decided } from './builders/approvals.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, tell } from './builders/runs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});

afterAll(() => service.close());

interface ToolReply {
  readonly text: string;
  readonly isError: boolean;
  readonly answer: { readonly notice: string; readonly data: any; readonly next_cursor?: string | null };
}

/** Calls a tool as a client of the revision 2025-11-25 does. */
async function call(name: string, given: object = {}): Promise<ToolReply> {
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${person.accessToken}`,
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: given },
    }),
  });
  const event = /^data: (.*)$/m.exec(await response.text())![1]!;
  const { content, isError = false, structuredContent } = (JSON.parse(event) as { result: any }).result;
  return { text: content[0].text, isError, answer: structuredContent };
}

describe('Arguments that are none', () => {
  it('are refused in a few words, at any number and length', async () => {
    const { id } = await createAgent(service, person);
    const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`key${index}`, 1]));
    for (const [tool, given] of [
      ['start_run', { agent_id: id, labels: many }],
      ['start_run', { agent_id: id, labels: { ['x'.repeat(300_000)]: 1 } }],
      ['list_runs', { label: Array(100_000).fill(1) }],
    ] as const) {
      const { text, isError } = await call(tool, given);
      expect(isError).toBe(true);
      expect(text).toContain('Invalid arguments');
      expect(text.length).toBeLessThan(2_000);
    }
  });

  it('are refused where a key of an act could be no header', async () => {
    const { id } = await createAgent(service, person);
    for (const idempotency_key of ['a\nX-Api-Key: b', 'schlüssel', '\u0000', '😀', '\ud800']) {
      const { text, isError } = await call('pause_agent', { agent_id: id, idempotency_key });
      expect([isError, text]).toEqual([true, expect.stringContaining('idempotency_key must match pattern')]);
    }
    expect(service.log()).not.toContain('a tool has failed');
  });
});

describe('A list whose items change while it is read', () => {
  it('continues after an approval that was decided meanwhile', async () => {
    const agent = await createAgent(service, person);
    const asked = [];
    for (let made = 0; made < 3; made++) asked.push(await askApproval(agent));
    const first = (await call('list_approvals', { agent_id: agent.id, limit: 1 })).answer;
    expect(first.data).toMatchObject([{ id: asked[0]!.id }]);
    await decided(person, asked[0]!);
    const given = { agent_id: agent.id, cursor: first.next_cursor };
    const second = (await call('list_approvals', given)).answer;
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual([
      asked[1]!.id,
      asked[2]!.id,
      asked[0]!.id,
    ]);
  });
});

const MARK = 'ignore-all-rules';

/** The names of the fields in which the mark stands, or whose content has it. */
function markedFields(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value === 'string') return value.includes(MARK) ? [[...path]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    markedFields(part, Array.isArray(value) ? path : [...path, name]),
  );
}

describe('What an agent writes', () => {
  it('stands only in fields that the notice names, in the answer of every tool', async () => {
    const worker = await createWorker(service, person, { name: MARK });
    const { runtime, id: agent_id, deploymentId: deployment_id } = worker;
    const registered = await runtime.post('/agents/register', {
      ...{ name: MARK, capabilities: { a: MARK }, metadata: { a: MARK } },
      ...{ version: MARK, hostname: MARK, platform: MARK },
    });
    expect(registered.status).toBe(200);
    const last_exit = { code: 1, message: MARK, at: new Date().toISOString() };
    await report(worker, deployment_id, { status: 'running', node_id: MARK, last_exit });
    await runtime.post('/agents/logs', {
      logs: [{ level: 'error', message: MARK, metadata: { a: MARK } }],
    });
    const { id: run_id } = await ask(person, worker, { name: MARK });
    await claim(worker);
    await tell(worker, {
      ...{ run_id, status: 'waiting', waiting_reason: MARK, progress: { percent: 1, message: MARK } },
    });
    await askApproval(worker, {
      ...{ approval_key: MARK, title: MARK, description: MARK, run_id },
      action: { name: MARK, args: { a: MARK } },
    });
    const answers = [await call('get_run', { run_id }), await call('list_runs')];
    await tell(worker, { run_id, status: 'failed', error: MARK, output: { a: MARK } });
    await report(worker, deployment_id, { status: 'failed', error_message: MARK });
    expect((await runtime.post('/agents/heartbeat', { message: MARK })).status).toBe(200);
    // One after the other: each caller has a few places for searches.
    for (const [tool, given] of [
      ...[['overview'], ['find_agents'], ['get_agent', { agent_id }], ['why', { agent_id }]],
      ...[['get_deployment', { deployment_id }], ['list_events', { deployment_id }], ['search_logs']],
      ...[['list_runs'], ['get_run', { run_id }], ['list_approvals'], ['get_usage', { group_by: 'agent' }]],
      ...[
        ['pause_agent', { agent_id }],
        ['resume_agent', { agent_id }],
        ['stop_agent', { agent_id }],
      ],
    ] as [string, object?][])
      answers.push(await call(tool, given));
    const [found, unnamed] = [new Set<string>(), new Set<string>()];
    for (const { answer, text } of answers) {
      if (answer === undefined) throw new Error(text);
      const [, named = ''] = /the texts of (.*) come from/.exec(answer.notice) ?? [];
      const names = named.split(', ');
      for (const path of markedFields(answer.data)) {
        found.add(path.at(-1)!);
        const isNamed = path.some(
          (name, at) => names.includes(name) || names.includes(path.slice(at).join('.')),
        );
        if (!isNamed) unnamed.add(path.join('.'));
      }
    }
    expect([...unnamed]).toEqual([]);
    expect([...found]).toEqual(
      expect.arrayContaining([
        ...['error_message', 'hostname', 'message', 'node_id', 'reason', 'reported_message', 'title'],
        ...['version', 'waiting_reason'],
      ]),
    );
  });
});
