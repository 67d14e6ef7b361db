import { jest } from '@jest/globals';
import { createAgent } from './builders/agents.js';
import { type Belongings, BELONGINGS_SETTINGS, giveBelongings, PARTS } from './builders/belongings.js';
import { expiredToken, issueKey } from './builders/credentials.js';
import { OPEN, OPERATOR_ONLY, OPERATORS_REACH, TOKEN_ONLY } from './builders/callers.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { ApiDescription, type Operation } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Hundreds of requests in a test, one after the other: a busy machine takes a tenth of a second for one. */
jest.setTimeout(120_000);

const UNKNOWN = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';

let service: TestApp;
let api: ApiDescription;
let operator: Person;
let owner: Person;
let stranger: Person;
let agent: Belongings['agent'];
let ids: Belongings['ids'];

beforeAll(async () => {
  service = await startTestApp({ settings: BELONGINGS_SETTINGS });
  api = ApiDescription.committed();
  operator = await registerOperator(service);
  owner = await registerPerson(service);
  stranger = await registerPerson(service);
  ({ agent, ids } = await giveBelongings(service, owner));
  await agent.runtime.post('/agents/logs', { level: 'info', message: 'a line' });
});

afterAll(() => service.close());

type Headers = Readonly<Record<string, string>>;
const bearer = (credential: string): Headers => ({ authorization: `Bearer ${credential}` });

function kindOf({ security }: Operation): 'open' | 'token' | 'user' | 'agent' | 'enrolment' {
  switch ([...security].sort().join()) {
    case '':
      return 'open';
    case 'access_token':
      return 'token';
    case 'access_token,user_api_key,user_api_key_header':
      return 'user';
    case 'agent_api_key':
      return 'agent';
    case 'access_token,agent_api_key,user_api_key,user_api_key_header':
      return 'enrolment';
    default:
      throw new Error(`Unknown security: ${security.join()}`);
  }
}

/** Calls an operation with the given ids, and an unknown id for all other parameters. */
function call(operation: Operation, headers: Headers, named: Belongings['ids'] = {}, body?: unknown) {
  const path = operation.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => named[name] ?? PARTS[name] ?? UNKNOWN,
  );
  return service.api.request(operation.method, path, { headers, body });
}

/** Returns true if a property or a parameter names a resource by its id. */
const isId = (name: string) => name in ids && !(name in PARTS);

/** Runs a check of each operation, whose name is in its failure. */
async function eachOperation(check: (operation: Operation) => Promise<void>): Promise<void> {
  for (const operation of api.operations) {
    try {
      await check(operation);
    } catch (error) {
      (error as Error).message = `${operation.id}: ${(error as Error).message}`;
      throw error;
    }
  }
}

/** Expects equal replies, apart from the request's id. */
function expectSame(reply: ApiReply<any>, other: ApiReply<any>): void {
  expect([reply.status, { ...reply.body, request_id: '' }]).toEqual([
    other.status,
    { ...other.body, request_id: '' },
  ]);
}

describe('The access to an operation', () => {
  it('is declared in the OpenAPI document as expected', () => {
    const open = api.operations.filter((operation) => kindOf(operation) === 'open').map(({ id }) => id);
    expect(open.sort()).toEqual([...OPEN].sort());
    for (const operation of api.operations) {
      const kind = kindOf(operation);
      if (kind !== 'open')
        expect([operation.id, kind === 'token']).toEqual([
          operation.id,
          TOKEN_ONLY.test(`${operation.method} ${operation.path}`),
        ]);
      expect([operation.id, kind === 'enrolment']).toEqual([operation.id, operation.id === 'registerAgent']);
    }
  });
});

describe('A credential without access', () => {
  it('returns 401 on every operation that needs a credential', async () => {
    const useless: Readonly<Record<string, Headers>> = {
      none: {},
      'an empty one': { authorization: '' },
      garbage: bearer('garbage'),
      'another scheme': { authorization: 'Basic dXNlcjpwYXNzd29yZA==' },
      'a credential without its scheme': { authorization: owner.accessToken },
      'a token as a key': { 'x-api-key': owner.accessToken },
      'a token in cookies': { cookie: `access_token=${owner.accessToken}; session=${owner.accessToken}` },
      'a refresh token': bearer(owner.refreshToken),
      'an expired token': bearer(await expiredToken(service, owner)),
      'a token with another end': bearer(owner.accessToken.slice(0, -4) + 'AAAA'),
      'an expired user key': bearer(await issueKey(service, owner, { expiresAt: new Date(0) })),
      'a revoked user key': bearer(await issueKey(service, owner, { revoked: true })),
      'an expired agent key': bearer(
        await issueKey(service, owner, { agentId: agent.id, expiresAt: new Date(0) }),
      ),
      'a revoked agent key': bearer(await issueKey(service, owner, { agentId: agent.id, revoked: true })),
      'an agent key outside of Authorization': { 'x-api-key': agent.key },
    };
    await eachOperation(async (operation) => {
      if (kindOf(operation) === 'open') return;
      for (const headers of Object.values(useless))
        expectError(await call(operation, headers), 401, 'Invalid or expired token');
    });
  });

  it('returns 401 when it is of the wrong kind', async () => {
    const userKey = await issueKey(service, owner);
    const other: Readonly<Record<ReturnType<typeof kindOf>, readonly Headers[]>> = {
      open: [],
      enrolment: [],
      token: [bearer(agent.key), bearer(userKey), { 'x-api-key': userKey }],
      user: [bearer(agent.key)],
      agent: [
        bearer(owner.accessToken),
        bearer(operator.accessToken),
        bearer(userKey),
        { 'x-api-key': userKey },
      ],
    };
    await eachOperation(async (operation) => {
      for (const headers of other[kindOf(operation)]) {
        expectError(await call(operation, headers), 401, 'Invalid or expired token');
      }
    });
  });

  it('returns 403 when its user is deactivated', async () => {
    const leaver = await registerPerson(service);
    const key = await issueKey(service, leaver);
    await operator.api.patch(`/users/${leaver.id}`, { is_active: false });
    await eachOperation(async (operation) => {
      const kind = kindOf(operation);
      if (kind === 'open' || kind === 'agent') return;
      expectError(await call(operation, bearer(leaver.accessToken)), 403, 'Account is deactivated');
      if (kind === 'token') return;
      expectError(await call(operation, bearer(key)), 403, 'Account is deactivated');
      expectError(await call(operation, { 'x-api-key': key }), 403, 'Account is deactivated');
    });
  });

  it("returns 403 on an operators' operation when its user is no operator", async () => {
    await eachOperation(async (operation) => {
      if (!OPERATOR_ONLY.includes(operation.id)) return;
      expectError(await call(operation, bearer(owner.accessToken)), 403);
      const reply = await call(operation, bearer(operator.accessToken), {}, operation.body && {});
      const takesId = operation.path.includes('{');
      // One without an id and without a body can only succeed.
      const expected = takesId ? [404] : operation.body ? [422] : [200, 204];
      expect([operation.id, expected.includes(reply.status)]).toEqual([operation.id, true]);
    });
  });
});

describe("Another user's resource", () => {
  it('answers like an unknown one on every operation with an identifier in its path', async () => {
    const strangers = [bearer(stranger.accessToken), { 'x-api-key': await issueKey(service, stranger) }];
    let checked = 0;
    await eachOperation(async (operation) => {
      const names = operation.parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      if (kindOf(operation) !== 'user' || OPERATOR_ONLY.includes(operation.id) || names.length === 0) return;
      expect(Object.keys(ids)).toEqual(expect.arrayContaining(names));
      const body = operation.body && api.example(operation.body);
      const reached = OPERATORS_REACH.includes(operation.id);
      for (const headers of reached ? strangers : [...strangers, bearer(operator.accessToken)]) {
        const foreign = await call(operation, headers, ids, body);
        expectError(foreign, 404);
        expectSame(foreign, await call(operation, headers, {}, body));
        checked++;
      }
    });
    expect(checked).toBeGreaterThanOrEqual(30);
  });

  it('answers like an unknown one when the body names it', async () => {
    await eachOperation(async (operation) => {
      if (kindOf(operation) === 'agent' || kindOf(operation) === 'enrolment' || !operation.body) return;
      const { properties = {} } = api.resolve(operation.body);
      for (const name of Object.keys(properties).filter(isId)) {
        const example = api.example(operation.body) as object;
        const headers = bearer(stranger.accessToken);
        const foreign = await call(operation, headers, {}, { ...example, [name]: ids[name] });
        expectError(foreign, 404);
        expectSame(foreign, await call(operation, headers, {}, { ...example, [name]: UNKNOWN }));
      }
    });
  });

  it('is in no list that is filtered by it', async () => {
    await eachOperation(async (operation) => {
      const names = operation.parameters.filter(
        (parameter) => parameter.in === 'query' && parameter.name in ids,
      );
      if (kindOf(operation) !== 'user' || /\{|\/stream$/.test(operation.path)) return;
      for (const { name } of names) {
        if (name === 'project_id') {
          const needed = names.filter((other) => other.required && other.name !== name);
          const others = needed.map((other) => `&${other.name}=${ids[other.name]}`).join('');
          const named = (id: string) => stranger.api.get(`${operation.path}?${name}=${id}${others}`);
          expectError(await named(ids[name]!), 404, 'Project not found');
          expectSame(await named(ids[name]!), await named(UNKNOWN));
          continue;
        }
        const path = `${operation.path}?${name}=${ids[name]}`;
        // A report has its rows or agents in a property, and no total.
        const isList = operation.parameters.some((parameter) => parameter.name === 'include_total');
        const itemsOf = ({ body }: ApiReply<any>): unknown => (isList ? body : (body.rows ?? body.agents));
        expect(itemsOf(await owner.api.get(path))).not.toEqual([]);
        const reply = await stranger.api.get(isList ? `${path}&include_total=true` : path);
        expect([reply.status, itemsOf(reply)]).toEqual([200, []]);
        expect(reply.headers.get('x-total-count')).toBe(isList ? '0' : null);
      }
    });
  });

  it("is refused to another agent's key", async () => {
    const other = await createAgent(service, owner);
    await eachOperation(async (operation) => {
      // A message of OTLP contains no agent id.
      if (kindOf(operation) !== 'agent' || operation.path.startsWith('/otlp/')) return;
      const body = operation.body && { ...(api.example(operation.body) as object), agent_id: agent.id };
      if (operation.path.includes('{agent_id}')) {
        expectError(await call(operation, bearer(other.key), ids), 403, 'Agent ID mismatch');
        expectError(await call(operation, bearer(other.key)), 403, 'Agent ID mismatch');
      } else if (operation.method === 'GET') {
        const reply = await service.api.as(other.key).get(`${operation.path}?agent_id=${agent.id}`);
        expectError(reply, 403, 'Agent ID mismatch');
      } else {
        expectError(await call(operation, bearer(other.key), {}, body), 403, 'Agent ID mismatch');
      }
    });
    const reply = await other.runtime.post('/agents/register', { agent_id: agent.id });
    expectError(reply, 403, 'Agent ID mismatch');
    const [command] = (await agent.runtime.get('/agents/commands')).body.commands;
    const acknowledge = { command_id: command.command_id, success: true };
    const foreign = await other.runtime.post('/agents/commands/acknowledge', acknowledge);
    expectError(foreign, 404, 'Command not found');
    expectSame(
      foreign,
      await other.runtime.post('/agents/commands/acknowledge', { ...acknowledge, command_id: UNKNOWN }),
    );
  });

  it('is unchanged after all these attempts', async () => {
    const { body } = await owner.api.get(`/agents/${agent.id}`);
    expect([body.status, body.deployments.map(({ id }: any) => id)]).toEqual([
      'running',
      [ids.deployment_id],
    ]);
    expect(body.deployments[0]).toMatchObject({ status: 'deploying', replicas: 1, generation: 1 });
    expect((await owner.api.get(`/deployments/${ids.deployment_id}/events`)).body.total).toBe(1);
  });
});
