import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject, registerMember } from './builders/projects.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const URL = 'http://127.0.0.1:9/services/T0/hush-path';
const HIDDEN = 'http://127.0.0.1:9/***';

let app: TestApp;
let operator: Person;
let owner: Person;
let projectId: string;
let id: string;

beforeAll(async () => {
  app = await startTestApp({ settings: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
  operator = await registerOperator(app);
  owner = await registerPerson(app);
  projectId = await createProject(owner);
  id = (await owner.api.post('/webhooks', { url: URL, project_id: projectId })).body.id;
  await app.database.query('UPDATE webhooks SET failing_since = now() WHERE id = $1', [id]);
});

afterAll(() => app.close());

const addresses = async ({ api }: Pick<Person, 'api'>) => [
  (await api.get(`/webhooks/${id}`)).body.url,
  (await api.get(`/webhooks?project_id=${projectId}`)).body[0].url,
  (await api.get(`/overview?project_id=${projectId}`)).body.failing_webhooks[0].url,
];
const reveal = ({ api }: Pick<Person, 'api'>) => api.get(`/webhooks/${id}?reveal=true`);
const reveals = async () =>
  (await owner.api.get(`/audit?action=webhook.reveal&target_id=${id}`)).body.map(({ actor }: any) => actor);

describe('The address of a webhook', () => {
  it('is visible to members of its project, and to operators without its path', async () => {
    const viewer = await registerMember(app, projectId, 'viewer');
    for (const person of [owner, viewer]) expect(await addresses(person)).toEqual([URL, URL, URL]);
    expect(await addresses(operator)).toEqual([HIDDEN, HIDDEN, HIDDEN]);
  });

  it('is visible to an operator who asks for it, and each time is audited', async () => {
    expect((await reveal(owner)).body.url).toBe(URL);
    expect(await reveals()).toEqual([]);
    for (let times = 0; times < 2; times++) expect((await reveal(operator)).body.url).toBe(URL);
    expect(await reveals()).toEqual([`user:${operator.id}`, `user:${operator.id}`]);
  });

  it("is hidden from an operator's key that may not change webhooks, and from strangers", async () => {
    const { key } = (await operator.api.post('/api-keys', { name: 'k', scopes: ['read'], everybody: true }))
      .body;
    expectError(await reveal({ api: app.api.as(key) }), 403, 'Missing scope: webhooks');
    expect((await reveal(await registerPerson(app))).status).toBe(404);
  });
});
