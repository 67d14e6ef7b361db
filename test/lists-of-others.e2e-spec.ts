import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { ApiDescription } from './harness/openapi.js';
import { document } from './harness/document-schemas.mjs';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** Lists that can name a project; the stream of events never ends. */
const LISTS = new ApiDescription(document).operations
  .filter(
    ({ method, parameters }) => method === 'get' && parameters.some(({ name }) => name === 'project_id'),
  )
  .map(({ path }) => path)
  .filter((path) => !path.includes('{') && path !== '/events/stream');

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
    const projectId = await createProject(owner);
    for (const path of LISTS) {
      for (const { api } of [owner, operator, operator])
        expect([path, (await api.get(`${path}?project_id=${projectId.toUpperCase()}`)).status]).toEqual([
          path,
          200,
        ]);
    }
    const entries = () => owner.api.get(`/audit?action=project.list&limit=100`);
    const found = await until(async () => {
      const { body } = (await entries()) as {
        body: { actor: string; target_id: string; details: { route: string } }[];
      };
      return body.length >= LISTS.length && body;
    });
    expect(found.map(({ details }) => details.route).sort()).toEqual([...LISTS].sort());
    for (const entry of found)
      expect(entry).toMatchObject({ actor: `user:${operator.id}`, target_id: projectId });
  });
});
