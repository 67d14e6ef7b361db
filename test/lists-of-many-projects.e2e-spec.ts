import { createAgent, deploy, obey, report } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject, registerMember, setMembership } from './builders/projects.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** As many as the overview shows newest failures, one of each. */
const PROJECTS = 10;
/** Rounds of creations, each through all projects, so that every page has rows of several of them. */
const ROUNDS = 3;

let app: TestApp;
let member: Person;
/** The member's projects, the personal one first. */
let projectIds: string[];

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
  const owner = await registerPerson(app);
  const shared: string[] = [];
  for (let count = 1; count < PROJECTS; count++) shared.push(await createProject(owner, `p${count}`));
  member = await registerMember(app, shared[0]!, 'maintainer');
  for (const id of shared.slice(1)) await setMembership(app, id, member, 'maintainer');
  projectIds = [member.id, ...shared];
  const foreign = await createProject(owner);
  for (let round = 0; round < ROUNDS; round++) {
    for (const id of projectIds) await fill(member, id, round);
    await fill(owner, foreign, round);
  }
  await createWebhook(member, 'http://127.0.0.1:9/', { project_id: shared[3], events: ['agent.deleted'] });
  await createWebhook(member, 'http://127.0.0.1:9/', { events: ['agent.deleted'] });
});

afterAll(() => app.close());

/** In each round the project gets an agent: one that runs, one that fails, one that was never started. */
async function fill(person: Person, projectId: string, round: number): Promise<void> {
  const agent = await createAgent(app, person, {
    project_id: projectId,
    name: `worker ${round}`,
    type: round === 0 ? 'scraper' : 'mailer',
    labels: { team: round === 1 ? 'a' : 'b' },
  });
  if (round === 2) return;
  const id = await deploy(person, agent);
  await obey(agent);
  await report(agent, id, { status: round === 0 ? 'running' : 'failed' });
  await agent.runtime.post('/agents/logs', {
    level: round === 0 ? 'info' : 'error',
    message: `line ${round}`,
  });
}

const among = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;
const ids = (rows: any[]): string[] => rows.map(({ id }) => id);

async function read(path: string): Promise<{ rows: any[]; total: number; next: string | null }> {
  const { status, body, headers } = await member.api.get(path);
  expect([path, status]).toEqual([path, 200]);
  return {
    rows: body,
    total: Number(headers.get('x-total-count')),
    next: /before=([^&>]+)/.exec(headers.get('link') ?? '')?.[1] ?? null,
  };
}

/** The rows of each project by itself. */
async function readEach(path: string): Promise<{ rows: any[]; total: number }> {
  const [rows, totals]: [any[], number[]] = [[], []];
  for (const id of projectIds) {
    const part = await read(among(path, `project_id=${id}&limit=100&include_total=true`));
    rows.push(...part.rows);
    totals.push(part.total);
  }
  return { rows, total: totals.reduce((sum, each) => sum + each, 0) };
}

const NEWEST_FIRST = [
  '/agents',
  '/agents?status=creating',
  '/agents?health=progressing',
  '/agents?health=failing',
  '/agents?connection=online',
  '/agents?connection=never_connected',
  '/agents?label=team:a',
  '/agents?type=scraper',
  '/agents?q=worker',
  '/agents?q=worker&connection=online&label=team:b',
  '/deployments',
  '/deployments?status=failed',
  '/deployments?active=true',
  '/deployments?q=worker%201',
  '/deployments?failed_since=2026-01-01T00:00:00Z',
  '/webhooks/',
  '/api-keys?kind=agent',
];

describe('A list of a member of ten projects', () => {
  it.each(NEWEST_FIRST)('has the rows of all of them, newest first, and counts them: %s', async (path) => {
    const each = await readEach(path);
    expect(each.rows.length).toBeGreaterThan(0);
    const wanted = ids(each.rows).sort().reverse();
    const whole = await read(among(path, 'limit=100&include_total=true'));
    expect(ids(whole.rows)).toEqual(wanted);
    expect([whole.total, each.total]).toEqual([wanted.length, wanted.length]);
    expect(ids((await read(path)).rows)).toEqual(wanted.slice(0, 50));
    const skipped = await read(among(path, 'limit=10&skip=5'));
    expect(ids(skipped.rows)).toEqual(wanted.slice(5, 15));
  });

  it.each(NEWEST_FIRST)('leaves nothing out and repeats nothing between its parts: %s', async (path) => {
    const whole = await read(among(path, 'limit=100'));
    const parts: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const part = await read(among(path, `limit=7${next && `&before=${next}`}`));
      parts.push(...ids(part.rows));
      next = part.rows.length < 7 ? null : (part.next ?? part.rows.at(-1).id);
    }
    expect(parts).toEqual(ids(whole.rows));
  });

  it.each(['name', '-name', 'created'])('is in the order of %s over all projects', async (sort) => {
    const { rows } = await read(`/agents?limit=100&sort=${sort}`);
    const keyOf = ({ name, id }: any) => (sort === 'created' ? id : name);
    const keys = rows.map(keyOf);
    const sorted = [...keys].sort();
    expect(keys).toEqual(sort.startsWith('-') ? sorted.reverse() : sorted);
    expect(ids(rows).sort()).toEqual(ids((await read('/agents?limit=100')).rows).sort());
  });

  it.each(['/logs', '/logs?level=error', '/logs?label=team:a', '/logs?q=line'])(
    'has the lines of the agents of all of them, newest first: %s',
    async (path) => {
      const each = await readEachLogs(path);
      expect(each.length).toBeGreaterThanOrEqual(PROJECTS);
      const { rows } = await read(among(path, 'limit=100'));
      expect(ids(rows).sort()).toEqual(ids(each).sort());
      const times = rows.map(({ timestamp }) => timestamp);
      expect(times).toEqual([...times].sort().reverse());
    },
  );
});

async function readEachLogs(path: string): Promise<any[]> {
  const parts = [];
  for (const id of projectIds) parts.push(...(await read(among(path, `project_id=${id}&limit=100`))).rows);
  return parts;
}

describe('What a member of ten projects reads besides lists', () => {
  it('includes an overview whose counts are the sums of those of the projects', async () => {
    const counts = ({ body }: { body: any }) => ({
      ...body.agents_by_health,
      ...body.agents_by_connection,
      ...body.deployments_by_status,
      failures: body.failures,
    });
    const sums: Record<string, number> = {};
    for (const id of projectIds)
      for (const [name, count] of Object.entries(counts(await member.api.get(`/overview?project_id=${id}`))))
        sums[name] = (sums[name] ?? 0) + (count as number);
    const whole = await member.api.get('/overview');
    expect(counts(whole)).toEqual(sums);
    expect(sums).toMatchObject({ failures: PROJECTS, never_connected: PROJECTS });
    expect(whole.body.failing_agents).toHaveLength(Math.min(25, sums.failing!));
  });

  it('is a feed for each project, numbered from 1 without gaps', async () => {
    for (const id of projectIds) {
      const { body } = await member.api.get(`/events?project_id=${id}`);
      const numbers = body.map((event: any) => event.user_sequence);
      expect(numbers).toEqual(numbers.map((_: number, index: number) => index + 1));
      expect(numbers.length).toBeGreaterThan(2);
      expect(new Set(body.map((event: any) => event.project_id))).toEqual(new Set([id]));
    }
  });
});
