import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const idsOf = ({ body }: ApiReply<any>): string[] => body.map(({ id }: { id: string }) => id);

const nextOf = ({ headers }: ApiReply<any>) =>
  /^<(\/[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;

describe('A list of agents', () => {
  /** Follows `Link` to the end, and deletes the first item of the first page as soon as that was read. */
  async function walk(person: Person, query: string): Promise<string[]> {
    const walked: string[] = [];
    for (let next: string | null = `/agents?limit=2&${query}`; next !== null;) {
      const reply: ApiReply<any> = await person.api.get(next);
      if (walked.length === 0)
        expect((await person.api.delete(`/agents/${reply.body[0].id}`)).status).toBe(204);
      walked.push(...idsOf(reply));
      next = nextOf(reply);
    }
    return walked;
  }

  it.each([
    '',
    'sort=created',
    'status=creating',
    'type=custom',
    'connection=never_connected',
    'connection=never_connected&sort=created&include_total=true',
  ])('leaves nothing out when one is deleted between two pages: %s', async (query) => {
    const person = await registerPerson(app);
    for (let made = 0; made < 5; made++) await createAgent(app, person);
    const whole = idsOf(await person.api.get(`/agents?${query}`));
    expect(await walk(person, query)).toEqual(whole);
  });

  it('is paged by skip, and refuses `before`, when it is in the order of names or heartbeats', async () => {
    const person = await registerPerson(app);
    for (let made = 0; made < 3; made++) await createAgent(app, person);
    for (const sort of ['name', '-last_heartbeat']) {
      const reply = await person.api.get(`/agents?limit=2&sort=${sort}`);
      expect(nextOf(reply)).toContain('skip=2');
      const refused = await person.api.get(`/agents?sort=${sort}&before=${idsOf(reply)[0]}`);
      expectError(refused, 422, 'before must not be given together with a sort by name or heartbeat');
    }
  });
});
