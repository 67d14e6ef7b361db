import { randomUUID } from 'node:crypto';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { ApiDescription } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** Lists that can name a project; the stream of events never ends. */
const PATHS = ApiDescription.committed()
  .operations.filter(
    ({ method, parameters }) => method === 'GET' && parameters.some(({ name }) => name === 'project_id'),
  )
  .map(({ path }) => path)
  .filter((path) => !path.includes('{') && path !== '/events/stream');
/** Lists of others' projects that are refused to an operator. */
const REFUSED = ['/api-keys', '/events'];
/** Further parameters, by the paths that need them. */
const NEEDED: Readonly<Record<string, string>> = { '/agents/health-hours': `&agent_id=${randomUUID()}` };
const LISTS = PATHS.filter((path) => !REFUSED.includes(path));

let app: TestApp;
let operator: Person;
let owner: Person;

beforeAll(async () => {
  app = await startTestApp();
  operator = await registerOperator(app);
  owner = await registerPerson(app);
});

afterAll(() => app.close());

describe('An operator who lists what is in a project of others', () => {
  it('has an entry for each list that can name a project, which its owner reads, and its members have none', async () => {
    expect(LISTS.length).toBeGreaterThan(10);
    const projectId = await createProject(owner);
    for (const path of LISTS) {
      const query = `project_id=${projectId}${NEEDED[path] ?? ''}`;
      for (const { api } of [owner, operator, operator])
        expect([path, (await api.get(`${path}?${query}`)).status]).toEqual([path, 200]);
    }
    for (const path of REFUSED)
      expect([path, (await operator.api.get(`${path}?project_id=${projectId}`)).status]).toEqual([path, 404]);
    const entries = () => owner.api.get(`/audit?action=project.list&limit=100`);
    const found = await until(async () => {
      const { body } = (await entries()) as {
        body: { actor: string; target_id: string; details: { route: string } }[];
      };
      return body.length >= LISTS.length && body;
    });
    const plain = (path: string) => path.replace(/\/$/, '');
    expect(found.map(({ details }) => plain(details.route)).sort()).toEqual(LISTS.map(plain).sort());
    for (const entry of found)
      expect(entry).toMatchObject({ actor: `user:${operator.id}`, target_id: projectId });
  });
});
