import { jest } from '@jest/globals';
import { type Belongings, BELONGINGS_SETTINGS, giveBelongings, PARTS } from './builders/belongings.js';
import { OPERATOR_ONLY, OPERATORS_REACH } from './builders/callers.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject, createProjectKey, registerMember, setMembership } from './builders/projects.js';
import { SsoStage } from './builders/single-sign-on.js';
import { GROUP_SETTINGS, refresh, type SignedIn, signInWith } from './builders/sso-groups.js';
import { EventStream } from './harness/event-stream.js';
import { ApiDescription, type Operation } from './harness/openapi.js';
import type { TestApp } from './harness/test-app.js';

/** Each operation is called by each caller: more than a thousand requests. */
jest.setTimeout(300_000);

/** The least role for each scope, as the roles were decided; lowest role first. */
const LEAST_ROLES = {
  viewer: ['read'],
  deployer: ['deploy', 'approve', 'reports'],
  maintainer: ['agents', 'webhooks', 'keys'],
  owner: ['members', 'budgets'],
} as const;
type Role = keyof typeof LEAST_ROLES;
const ROLES = Object.keys(LEAST_ROLES) as Role[];
const GROUPS = ROLES.map((role) => ({ group: `every ${role}`, role }));
/** Operations whose success ends what later calls need: two groups, in each of which none ends what another one names. */
const ENDS = [/^(revoke|remove|delete(?!(Agent|User)$))/, /^(rotate|delete(Agent|User)$)/];
/** Operations that end the session of a token. */
const ENDS_SESSION = /^(logout|end)/;
/** Operators may name any project in these lists. */
const OPERATORS_LISTS = [
  'listAgents',
  'countAgentGroups',
  'getHealthHours',
  'listDeployments',
  'listRuns',
  'listSchedules',
  'listBudgets',
  'listApprovals',
  'listPauses',
  'listLogs',
  'listWebhooks',
  'listAuditEntries',
  'getOverview',
  'getOverviewDay',
  'getUsage',
];
/** Operations about the caller's own factors, of which the example names none: a 404 behind the guard. */
const OWN_FACTORS = ['confirmTotpFactor', 'removeSecondFactor', 'stepUp'];
/** Statuses of calls that are allowed: their example does not fit the resource's state, or nobody takes the webhook's message. */
const PAST_THE_GUARD = [400, 409, 502];

interface Caller {
  readonly name: string;
  readonly credential: string;
  readonly isToken: boolean;
  /** Role in the project; null: the caller is no member. */
  readonly role: Role | null;
  readonly scopes: readonly string[];
  readonly isOperator: boolean;
}

let stage: SsoStage;
let service: TestApp;
let api: ApiDescription;
let owner: Person;
let projectId: string;
let shared: Belongings;
let callers: Caller[];

beforeAll(async () => {
  // Webhooks are not sent: each caller who may makes one, and their attempts took more than a quarter of the processor time.
  stage = await SsoStage.open({ ...BELONGINGS_SETTINGS, ...GROUP_SETTINGS, ROLES: 'api' });
  ({ service } = stage);
  api = ApiDescription.committed();
  owner = await registerPerson(service);
  projectId = await createProject(owner);
  await owner.api.patch(`/projects/${projectId}`, { groups: GROUPS });
  shared = await giveToProject();
  callers = await everyKindOfCaller();
});

afterAll(() => stage.close());

/** One resource of each kind, and a member to change and remove. */
async function giveToProject(): Promise<Belongings> {
  const { agent, ids } = await giveBelongings(service, owner, projectId);
  return { agent, ids: { ...ids, user_id: (await registerMember(service, projectId, 'viewer')).id } };
}

async function everyKindOfCaller(): Promise<Caller[]> {
  const { operator } = stage;
  const stranger = await registerPerson(service);
  const former = await registerMember(service, projectId, 'owner');
  const foreignProject = await createProject(stranger);
  const token = (
    { accessToken }: Pick<Person, 'accessToken'>,
    name: string,
    role: Role | null,
    isOperator = false,
  ): Caller => ({
    ...{ name, role, isOperator, credential: accessToken, isToken: true, scopes: ['*', 'approve'] },
  });
  const key = (credential: string, name: string, role: Role | null, scopes = ['*']): Caller => ({
    ...{ name, role, credential, scopes, isToken: false, isOperator: false },
  });
  const keyOf = async (person: Pick<Person, 'api'>, name: string, role: Role | null, scopes = ['*']) =>
    key((await person.api.post('/api-keys', { name, scopes })).body.key, name, role, scopes);
  const made: Caller[] = [
    token(owner, 'the first owner', 'owner'),
    token(operator, 'an operator', null, true),
    await keyOf(operator, "an operator's key", null),
    { ...key(await keyForEverybody(operator), "an operator's key for everybody", null), isOperator: true },
    token(stranger, 'a stranger', null),
    await keyOf(stranger, "a stranger's key", null),
    key(await createProjectKey(stranger, foreignProject, 'owner'), 'a key of another project', null),
    token(former, 'a former member', null),
    await keyOf(former, "a former member's key", null),
    token(await memberTwice(), 'a viewer whose group maintains', 'maintainer'),
    token(await formerMemberByGroup(), 'somebody who has left the group', null),
    key(
      await createProjectKey(owner, projectId, 'owner', ['read']),
      'a reading project key of an owner',
      'owner',
      ['read'],
    ),
  ];
  for (const role of ROLES) {
    const member = await registerMember(service, projectId, role);
    made.push(token(member, `a ${role}`, role), await keyOf(member, `the key of a ${role}`, role));
    const byGroup = await memberByGroup(role);
    made.push(token(byGroup, `a ${role} by a group`, role));
    made.push(await keyOf(byGroup, `the key of a ${role} by a group`, role));
    made.push(key(await createProjectKey(owner, projectId, role), `a project key as ${role}`, role));
  }
  for (const scope of [
    'read',
    'deploy',
    'approve',
    'reports',
    'agents',
    'webhooks',
    'members',
    'budgets',
    'metrics',
  ])
    made.push(await keyOf(owner, `an owner's key for ${scope}`, 'owner', [scope]));
  await setMembership(service, projectId, former, null);
  return made;
}

async function keyForEverybody({ api: caller }: Person): Promise<string> {
  return (await caller.post('/api-keys', { name: 'k', everybody: true })).body.key;
}

/** A person whom the identity provider has logged in as a member of a group. */
async function memberByGroup(role: Role): Promise<SignedIn> {
  stage.newcomer();
  return signInWith(stage, [`every ${role}`]);
}

async function memberTwice(): Promise<SignedIn> {
  const person = await memberByGroup('maintainer');
  await setMembership(service, projectId, person, 'viewer');
  return person;
}

async function formerMemberByGroup(): Promise<SignedIn> {
  const person = await memberByGroup('owner');
  stage.provider.change({ groups: [] });
  return refresh(person, service);
}

const isPeoples = ({ security }: Operation) => security.includes('access_token');
const takesKeys = ({ security }: Operation) => security.includes('user_api_key');
const leastRole = (scope: string) =>
  ROLES.find((role) => (LEAST_ROLES[role] as readonly string[]).includes(scope));

/** The reply to the caller: `allowed`, or a status with a message. */
function expected(operation: Operation, caller: Caller): string {
  const { scope } = operation;
  if (!caller.isToken && !takesKeys(operation)) return '401 Invalid or expired token';
  // A leaked key with everything must not be able to approve.
  const granting = scope === 'approve' ? [scope] : [scope, '*'];
  if (scope && !granting.some((each) => caller.scopes.includes(each!))) return `403 Missing scope: ${scope}`;
  if (OPERATOR_ONLY.includes(operation.id) || operation.id === 'getServiceMetrics')
    return caller.isOperator ? 'allowed' : '403 Operators only';
  if (operation.id === 'createProject' && caller.name.includes('project'))
    return "403 A project's key can't create projects: use your own account";
  if (!isOfProject(operation)) return 'allowed';
  const reaches = [...OPERATORS_REACH, ...OPERATORS_LISTS].includes(operation.id);
  if (caller.isOperator) return reaches ? 'allowed' : '404';
  if (caller.role === null) return '404';
  const least = leastRole(scope!)!;
  return ROLES.indexOf(caller.role) >= ROLES.indexOf(least) ? 'allowed' : `403 Missing role: ${least}`;
}

/** Names of the properties and parameters by which the operation names resources. */
function namesIn({ parameters, body }: Operation): string[] {
  const given = parameters.filter((each) => each.in !== 'header').map(({ name }) => name);
  return [...given, ...Object.keys((body && api.resolve(body).properties) ?? {})];
}

function isOfProject(operation: Operation): boolean {
  if (!operation.scope) return false;
  return namesIn(operation).some((name) => name in idsOf(shared) && !(name in PARTS));
}

function idsOf({ ids }: Belongings): Readonly<Record<string, string>> {
  const ofProject = Object.entries(ids).filter(
    ([name]) => !['user_id', 'lead_id', 'price_id'].includes(name),
  );
  return { ...Object.fromEntries(ofProject), project_id: projectId };
}

/** The example of the body, about these resources. */
function bodyOf({ id, body }: Operation, ids: Readonly<Record<string, string>>): object | undefined {
  if (!body) return undefined;
  const named = Object.keys(api.resolve(body).properties ?? {}).filter(
    (name) => name in ids && !(name in PARTS),
  );
  // A key of an agent belongs to the agent's project anyway.
  const chosen = id === 'createApiKey' ? ['project_id'] : named;
  return {
    ...(api.example(body) as object),
    ...Object.fromEntries(chosen.map((name) => [name, ids[name]])),
  };
}

/** Calls an operation about these resources. @returns the status, with the message of an error */
async function call(operation: Operation, { credential }: Caller, belongings: Belongings): Promise<string> {
  const ids = idsOf(belongings);
  const search = new URLSearchParams(
    operation.parameters
      .filter((each) => each.in === 'query' && (each.name in ids || each.required))
      .map(({ name, schema }): [string, string] => [name, ids[name] ?? String(api.example(schema))]),
  );
  const path = operation.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => ids[name] ?? belongings.ids[name]!,
  );
  const target = search.size > 0 ? `${path}?${search.toString()}` : path;
  if (operation.path.endsWith('/stream')) {
    const stream = await EventStream.open(service.url, target, { credential });
    stream.close();
    return `${stream.status} ${stream.body?.detail ?? ''}`;
  }
  const body = bodyOf(operation, ids);
  const added = {
    ...(operation.id === 'addProjectMember' && {
      email: (await registerPerson(service)).email,
      role: 'owner',
    }),
    ...(operation.id === 'createSchedule' && { cron: '0 0 1 1 *' }),
    ...(operation.id === 'updateProject' && { groups: GROUPS }),
  };
  const reply = await service.api
    .as(credential)
    .request(operation.method, target, { body: body && { ...body, ...added } });
  // This call would refuse all later calls.
  if (operation.id === 'putMaintenance') await stage.operator.api.delete('/maintenance');
  return `${reply.status} ${reply.body?.detail ?? ''}`;
}

function agrees(told: string, wanted: string): boolean {
  const status = Number(told.slice(0, 3));
  if (wanted === 'allowed') return status < 300 || PAST_THE_GUARD.includes(status);
  return wanted === '404' ? status === 404 : told === wanted;
}

describe('Every operation of a shared project', () => {
  it('answers each caller as their role in the project, and the scopes of their key, decide', async () => {
    const wrong: string[] = [];
    const check = async (operation: Operation, caller: Caller, named: Belongings) => {
      const [told, wanted] = [await call(operation, caller, named), expected(operation, caller)];
      const isPastTheGuard = OWN_FACTORS.includes(operation.id) && /^(404 Second|422)/.test(told);
      if (isPastTheGuard ? wanted !== 'allowed' : !agrees(told, wanted))
        wrong.push(`${operation.id}, ${caller.name}: ${told}, not ${wanted}`);
    };
    const operations = api.operations.filter(isPeoples);
    const isAllowed = (operation: Operation, caller: Caller) => expected(operation, caller) === 'allowed';
    for (const operation of operations) {
      const meant = callers.filter(({ isToken }) => !isToken || !ENDS_SESSION.test(operation.id));
      const allowed = meant.filter((caller) => isAllowed(operation, caller));
      for (const caller of meant.filter((each) => !allowed.includes(each)))
        await check(operation, caller, shared);
      if (ENDS.some((ending) => ending.test(operation.id))) continue;
      for (const caller of allowed) await check(operation, caller, shared);
    }
    for (const caller of callers) {
      for (const ending of ENDS) {
        const ends = operations.filter(({ id }) => ending.test(id));
        const allowed = ends.filter((operation) => isAllowed(operation, caller));
        if (allowed.length === 0) continue;
        const own = await giveToProject();
        for (const operation of allowed) await check(operation, caller, own);
      }
    }
    expect(wrong).toEqual([]);
  });
});
