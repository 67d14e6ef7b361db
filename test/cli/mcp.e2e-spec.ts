import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createProject } from '../builders/projects.js';
import { ask } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { atTerminal, itAtTerminal } from './at-terminal.js';
import { type BreakableLink, linkTo } from './breakable-link.js';
import { StartedAssistant } from './started-assistant.js';
import { Svc } from './svc.js';

let app: TestApp;
let link: BreakableLink;
let ada: Person;
let svc: Svc;
const started: StartedAssistant[] = [];

beforeAll(async () => {
  app = await startTestApp();
  link = await linkTo(app.url);
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(link.url, ada.email);
  await createAgent(app, ada, { name: 'reader' });
});

afterEach(async () => {
  link.mend();
  for (const { svc: process } of started.splice(0)) process.process.kill();
});

afterAll(async () => {
  await svc.removeHome();
  await link.close();
  await app.close();
});

function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): StartedAssistant {
  const assistant = new StartedAssistant(svc, args, env);
  started.push(assistant);
  return assistant;
}

const namesOf = (agents: readonly { name: string }[]) => agents.map(({ name }) => name);

describe('svc mcp', () => {
  it('lets an assistant of the revision 2025-11-25 call tools, prints only messages, and ends with its input', async () => {
    const assistant = start();
    expect(await assistant.initialize()).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'agent-control-plane' },
    });
    expect(await assistant.toolNames()).toEqual(expect.arrayContaining(['why', 'stop_agent']));
    expect(namesOf(await assistant.call('find_agents', { q: 'rea' }))).toEqual(['reader']);
    expect(await assistant.leave()).toMatchObject({ code: 0, stderr: '' });
    expect(assistant.answers).toHaveLength(3);
    const calls = await until(async () => {
      const { body } = await ada.api.get('/audit?action=mcp.call');
      return body.length > 0 && body;
    });
    expect(calls[0].details).toMatchObject({
      tool: 'find_agents',
      client: 'started-assistant',
      client_version: '1.2.3',
    });
  });

  it('lets an assistant of the revision 2026-07-28 call tools', async () => {
    const assistant = start();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'newer', version: '2' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    expect(await assistant.request('server/discover', { _meta })).toMatchObject({
      supportedVersions: expect.arrayContaining(['2026-07-28']),
    });
    const call = { name: 'find_agents', arguments: { q: 'reader' }, _meta };
    const { structuredContent } = await assistant.request('tools/call', call);
    expect(namesOf(structuredContent.data)).toEqual(['reader']);
    const unknown = await assistant.refusal('tools/call', { ...call, name: 'löschen \u2028' });
    expect(unknown.message).toContain('löschen');
  });

  it('renews an expired login', async () => {
    await svc.writeConfig({ ...(await svc.config()), api_key: 'an.expired.token' });
    const assistant = start();
    const answers = await Promise.all([assistant.call('find_agents'), assistant.call('find_agents')]);
    expect(answers.map(namesOf)).toEqual([['reader'], ['reader']]);
    expect((await svc.config()).api_key).not.toBe('an.expired.token');
  });

  it('narrows the tools with --read-only and --toolsets', async () => {
    const assistant = start(['--read-only', '--toolsets', 'runs,usage']);
    expect(await assistant.toolNames()).toEqual(['list_runs', 'get_run', 'get_usage', 'get_project_limits']);
    const mistaken = start(['--toolsets', 'billing']);
    expect((await mistaken.refusal('tools/list')).message).toContain('"billing"');
  });

  it('lists and searches in the project in use, unless the assistant names another', async () => {
    const project_id = await createProject(ada, 'payments');
    await createAgent(app, ada, { name: 'payer', project_id });
    const assistant = start(['--project', 'payments']);
    expect(namesOf(await assistant.call('find_agents'))).toEqual(['payer']);
    expect(namesOf(await assistant.call('find_agents', { project_id: ada.id }))).toEqual(['reader']);
    const everywhere = start(['--project', 'all']);
    expect(namesOf(await everywhere.call('find_agents')).sort()).toEqual(['payer', 'reader']);
    const nowhere = start(['--project', 'nowhere']);
    const { message } = await nowhere.refusal('tools/call', { name: 'find_agents', arguments: {} });
    expect(message).toMatch(/nowhere.*svc projects list/);
  });

  it('sends a number unchanged, also where it adds the project', async () => {
    await createProject(ada, 'numbers');
    const assistant = start(['--project', 'numbers']);
    assistant.write(
      '{"jsonrpc": "2.0", "id": "n", "method": "tools/call", "params": {"name": "find_agents", "arguments": {"limit": 1e400}}}',
    );
    expect((await assistant.answerTo('n')).error?.message).toContain('params.arguments.limit');
  });

  it('ends a request that the assistant cancels, and does not answer it', async () => {
    const run = await ask(ada, await createAgent(app, ada, { name: 'slow' }));
    const assistant = start();
    const id = assistant.ask('tools/call', { name: 'get_run', arguments: { run_id: run.id, wait: 30 } });
    await assistant.call('find_agents');
    const params = { requestId: id, reason: 'no longer needed' };
    assistant.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
    expect(await assistant.leave()).toMatchObject({ code: 0, stderr: '' });
    expect(assistant.answers.map((answer) => answer.id)).toEqual([id + 1]);
  });

  it('ends at once on SIGTERM, also while a tool waits', async () => {
    const run = await ask(ada, await createAgent(app, ada, { name: 'slower' }));
    const assistant = start();
    assistant.ask('tools/call', { name: 'get_run', arguments: { run_id: run.id, wait: 30 } });
    await assistant.call('find_agents');
    assistant.svc.process.kill('SIGTERM');
    expect(await assistant.svc.ended()).toMatchObject({ code: 143, stderr: '' });
    expect(assistant.answers).toHaveLength(1);
  });
});

describe('A message that svc mcp can not pass on', () => {
  it('is answered in words while the service is away, and the next one is passed on again', async () => {
    const assistant = start();
    await assistant.initialize();
    link.cut();
    const { code, message } = await assistant.refusal('tools/list');
    expect(code).toBe(-32_000);
    expect(message).toMatch(/^The service can't be reached at http.*--api-url/);
    link.mend();
    expect(await assistant.toolNames()).toContain('why');
  });

  it('is answered in words without a login, and with a key that is not valid', async () => {
    const stranger = await Svc.at(link.url);
    try {
      const assistant = new StartedAssistant(stranger);
      started.push(assistant);
      expect((await assistant.refusal('initialize')).message).toMatch(/^You are not logged in .*"svc login"/);
      const env = { SERVICE_API_KEY: 'svc_user_invalid' };
      const refused = start([], env);
      expect((await refused.refusal('tools/list')).message).toMatch(/svc login/);
    } finally {
      await stranger.removeHome();
    }
  });

  it('is refused by its form: no JSON, several messages, no message', async () => {
    const assistant = start();
    for (const line of ['{', '[{"jsonrpc": "2.0"}]', '{"id": 1, "method": "ping"}', 'null', '', ' '])
      assistant.write(line);
    expect((await assistant.leave()).code).toBe(0);
    const codes = assistant.answers.map(({ id, error }) => [id, error?.code]);
    expect(codes).toEqual([[null, -32_700], ...Array(3).fill([null, -32_600])]);
  });

  it('is refused by the service, with the id of the request', async () => {
    const assistant = start();
    expect(await assistant.refusal('no/such/method')).toMatchObject({ code: -32_601 });
  });
});

describe('svc mcp at a terminal (skipped without script of util-linux)', () => {
  itAtTerminal('ends with 2, and says that an assistant starts it', async () => {
    const { code, shown } = await atTerminal('mcp', { HOME: svc.home, SERVICE_API_URL: link.url });
    expect([code, shown]).toEqual([2, expect.stringContaining('an assistant starts this')]);
  });
});
