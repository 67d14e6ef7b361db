import { createAgent } from './builders/agents.js';
import { Assistant, type Revision, REVISIONS } from './builders/mcp.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject, createProjectKey } from './builders/projects.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let person: Person;
let projectId: string;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
  projectId = await createProject(person);
});

afterAll(() => service.close());

const READS = [
  'find_agents',
  'get_agent',
  'get_deployment',
  'get_project_limits',
  'get_run',
  'get_usage',
  'list_approvals',
  'list_events',
  'list_runs',
  'overview',
  'search_logs',
  'why',
];
const ACTS = [
  'cancel_run',
  'deploy_agent',
  'pause_agent',
  'restart_deployment',
  'restart_deployment_rolling',
  'resume_agent',
  'scale_deployment',
  'start_run',
  'stop_agent',
];
const ALL = [...READS, ...ACTS].sort();

/** The names of the tools that an assistant with this credential gets. */
async function toolsOf(credential: string, headers?: Readonly<Record<string, string>>): Promise<string[]> {
  const assistant = await Assistant.connect(service, credential, { headers });
  return assistant.toolNames();
}

describe.each(Object.keys(REVISIONS) as Revision[])('The revision %s', (revision) => {
  it('is supported, and describes every tool with its title, its hints and complete schemas', async () => {
    const assistant = await Assistant.connect(service, person.accessToken, { revision });
    expect(assistant.revision).toBe(revision);
    const tools = await assistant.tools();
    expect(tools.map(({ name }) => name).sort()).toEqual(ALL);
    for (const { name, title, description, annotations, inputSchema, outputSchema } of tools) {
      expect([name, title, description]).toEqual([name, expect.any(String), expect.any(String)]);
      expect([name, annotations]).toEqual([
        name,
        {
          title,
          readOnlyHint: READS.includes(name),
          destructiveHint: ACTS.includes(name) && !['start_run', 'resume_agent'].includes(name),
          idempotentHint: [...READS, 'scale_deployment', 'stop_agent'].includes(name),
          openWorldHint: false,
        },
      ]);
      expect([name, inputSchema.type, inputSchema.additionalProperties]).toEqual([name, 'object', false]);
      expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(/components|"examples?":/);
    }
  });

  it('finds an agent and shows it', async () => {
    const { id } = await createAgent(service, person, { name: `reader ${revision}` });
    const assistant = await Assistant.connect(service, person.accessToken, { revision });
    expect(await assistant.call('find_agents', { q: revision })).toMatchObject([{ id }]);
    expect(await assistant.call('get_agent', { agent_id: id })).toMatchObject({ id, deployments: [] });
  });
});

describe('The list of tools', () => {
  it('has no act for the key of a viewer', async () => {
    expect(await toolsOf(await createProjectKey(person, projectId, 'viewer'))).toEqual(READS);
    expect(await toolsOf(await createProjectKey(person, projectId, 'deployer'))).toEqual(ALL);
  });

  it('has the tools that the scopes of a key allow', async () => {
    const keyFor = (scopes: string[]) => createProjectKey(person, projectId, 'owner', scopes);
    expect(await toolsOf(await keyFor(['read']))).toEqual(READS);
    expect(await toolsOf(await keyFor(['deploy']))).toEqual(ACTS);
    expect(await toolsOf(await keyFor(['webhooks']))).toEqual([]);
  });

  it('has no act with X-MCP-Readonly, and only the named sets with X-MCP-Toolsets', async () => {
    expect(await toolsOf(person.accessToken, { 'x-mcp-readonly': 'true' })).toEqual(READS);
    expect(await toolsOf(person.accessToken, { 'x-mcp-readonly': 'false' })).toEqual(ALL);
    const runs = ['cancel_run', 'get_run', 'list_runs', 'start_run'];
    expect(await toolsOf(person.accessToken, { 'x-mcp-toolsets': 'runs' })).toEqual(runs);
    const both = { 'x-mcp-toolsets': 'runs, usage', 'x-mcp-readonly': 'true' };
    expect(await toolsOf(person.accessToken, both)).toEqual([
      'get_project_limits',
      'get_run',
      'get_usage',
      'list_runs',
    ]);
  });

  it('is not made longer by a header', async () => {
    const viewer = await createProjectKey(person, projectId, 'viewer');
    const headers = { 'x-mcp-readonly': 'false', 'x-mcp-toolsets': 'agents,logs,runs,usage,approvals' };
    expect(await toolsOf(viewer, headers)).toEqual(READS);
  });

  it('limits the calls', async () => {
    const { id } = await createAgent(service, person);
    const readonly = await Assistant.connect(service, person.accessToken, {
      headers: { 'x-mcp-readonly': 'true' },
    });
    await expect(readonly.ask('deploy_agent', { agent_id: id })).rejects.toThrow('disabled');
    await expect(readonly.ask('decide_approval', { agent_id: id })).rejects.toThrow('not found');
    expect((await person.api.get(`/agents/${id}`)).body.deployments).toEqual([]);
  });
});

describe('A call', () => {
  it('of an act is refused by the role in the project of the agent, though the tool is listed', async () => {
    const { id } = await createAgent(service, person, { project_id: projectId });
    const other = await registerPerson(service);
    await person.api.post(`/projects/${projectId}/members`, { email: other.email, role: 'viewer' });
    const assistant = await Assistant.connect(service, other.accessToken);
    expect(await assistant.call('get_agent', { agent_id: id })).toMatchObject({ id });
    expect(await assistant.ask('deploy_agent', { agent_id: id })).toMatchObject({
      isError: true,
      text: '403 missing_role: Missing role: deployer.',
    });
  });

  it("about another owner's resource, or with an invalid id, is refused as the API refuses it", async () => {
    const stranger = await registerPerson(service);
    const { id } = await createAgent(service, person);
    const assistant = await Assistant.connect(service, stranger.accessToken);
    for (const tool of ['get_agent', 'deploy_agent', 'why', 'pause_agent'])
      expect((await assistant.ask(tool, { agent_id: id })).text).toMatch(/^404 not_found: /);
    for (const given of [{ agent_id: '../../users' }, {}, { agent_id: id, reveal: true }])
      expect(await assistant.ask('get_agent', given)).toMatchObject({ isError: true });
    expect((await assistant.ask('find_agents', { cursor: 'limit=500' })).text).toMatch(/^cursor must be/);
  });

  it('of an act with an idempotency_key acts once', async () => {
    const { id } = await createAgent(service, person);
    const assistant = await Assistant.connect(service, person.accessToken);
    const given = { agent_id: id, idempotency_key: 'once' };
    const [first, second] = [
      await assistant.call('deploy_agent', given),
      await assistant.call('deploy_agent', given),
    ];
    expect(second).toEqual(first);
    expect((await person.api.get(`/deployments?agent_id=${id}`)).body).toHaveLength(1);
  });

  it('is refused from the moment in which its key is revoked', async () => {
    const { body: key } = await person.api.post('/api-keys', { name: 'assistant', scopes: ['read'] });
    const assistant = await Assistant.connect(service, key.key);
    await assistant.call('overview');
    await person.api.delete(`/api-keys/${key.id}`);
    await expect(assistant.ask('overview')).rejects.toThrow('Invalid or expired token');
  });
});
