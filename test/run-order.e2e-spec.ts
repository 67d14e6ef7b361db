import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { type Scan, scansOf, statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Runs of each project, so many that a list which sorts all of them is seen in what it reads. */
const RUNS = 2_000;
/** Size of a page. */
const LIMIT = 20;

let app: TestApp;
let person: Person;
/** The ids of the person's runs, oldest first: one of each project after the other. */
let oldestFirst: string[];
let agents: TestAgent[];

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  const projects = [person.id, await createProject(person, 'p1'), await createProject(person, 'p2')];
  agents = [];
  for (const project_id of projects) agents.push(await createAgent(app, person, { project_id }));
  const runs = await app.database.query<{ id: string }>(
    `INSERT INTO runs (id, agent_id, project_id, status, status_source, source, actor, trace_id, ended_at)
     SELECT format('00000000-0000-7000-8000-%s', lpad((3 * number + place)::text, 12, '0'))::uuid,
       agent, project, 'succeeded', 'agent', 'api', '', number, now()
     FROM generate_series(1, $3::int) AS number, unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS made (agent, project, place)
     RETURNING id`,
    [agents.map(({ id }) => id), projects, RUNS],
  );
  oldestFirst = runs.map(({ id }) => id).sort();
  await app.database.query('ANALYZE runs');
});

afterAll(() => app.close());

async function read(query: string): Promise<{ ids: string[]; total: number; next: string | undefined }> {
  const { status, body, headers } = await person.api.get(`/runs?limit=${LIMIT}${query}`);
  expect([query, status]).toEqual([query, 200]);
  return {
    ids: body.map(({ id }: { id: string }) => id),
    total: Number(headers.get('x-total-count')),
    next: /before=([^&>]+)/.exec(headers.get('link') ?? '')?.[1],
  };
}

/** The scans of the statement that reads the page of runs. */
async function scansOfRuns(query: string): Promise<Scan[]> {
  const sent = await statementsOf(app, () => read(query));
  const list = sent.find(({ text }) => text.includes('page_bytes'));
  return (await scansOf(app, list!)).filter(({ table }) => table === 'runs');
}

describe('The list of runs', () => {
  it('has the newest run of all projects first unless an order is given', async () => {
    const wanted = oldestFirst.toReversed().slice(0, LIMIT);
    expect((await read('')).ids).toEqual(wanted);
    expect((await read('&sort=-created')).ids).toEqual(wanted);
  });

  it('has the oldest run of all projects first if it is sorted by creation', async () => {
    expect(await read('&sort=created&include_total=true')).toMatchObject({
      ids: oldestFirst.slice(0, LIMIT),
      total: oldestFirst.length,
    });
    expect((await read('&sort=created&skip=7')).ids).toEqual(oldestFirst.slice(7, 7 + LIMIT));
  });

  it.each(['', '&status=succeeded', '&project_id=', '&agent_id='])(
    'leaves nothing out and repeats nothing between its parts, oldest first: %s',
    async (filter) => {
      const ofOne = filter.endsWith('=');
      const value = ofOne ? (filter.startsWith('&project') ? person.id : agents[0]!.id) : '';
      const wanted = oldestFirst.filter((_, index) => !ofOne || index % 3 === 0);
      const parts: string[] = [];
      let next: string | undefined;
      for (let part = 0; part < 4; part++) {
        const page = await read(`${filter}${value}&sort=created${next ? `&before=${next}` : ''}`);
        parts.push(...page.ids);
        ({ next } = page);
      }
      expect(parts).toEqual(wanted.slice(0, 4 * LIMIT));
    },
  );

  it.each(['created', '-created'])(
    'reads few runs of each project, and sorts no others: %s',
    async (sort) => {
      for (const filter of [
        '',
        `&project_id=${person.id}`,
        `&project_id=${person.id}&agent_id=${agents[0]!.id}`,
        '&status=succeeded',
      ]) {
        const middle = oldestFirst[oldestFirst.length / 2]!;
        for (const place of ['', `&before=${middle}`]) {
          const scans = await scansOfRuns(`&sort=${sort}${filter}${place}`);
          const rows = scans.reduce((sum, scan) => sum + scan.rows, 0);
          expect([filter, place, rows > 0 && rows <= 6 * LIMIT]).toEqual([filter, place, true]);
        }
      }
    },
  );

  it('refuses an order that it does not have', async () => {
    const { status, body } = await person.api.get('/runs?sort=name');
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(JSON.stringify(body)).toContain('-created, created');
  });
});
