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

  it.each(['name', '-name', 'last_heartbeat', '-last_heartbeat', 'health'])(
    'leaves nothing out in the order of %s when one is deleted between two pages',
    async (sort) => {
      const person = await registerPerson(app);
      for (const heard of [true, false, true, false, true, true]) {
        const agent = await createAgent(app, person, { name: 'same' });
        if (heard) await agent.runtime.post('/agents/heartbeat', {});
      }
      const whole = idsOf(await person.api.get(`/agents?sort=${sort}`));
      expect(await walk(person, `sort=${sort}`)).toEqual(whole);
    },
  );

  it.each(['name', 'health'])(
    'says that a place in the order of %s is lost when its agent is removed',
    async (sort) => {
      const person = await registerPerson(app);
      const gone = await createAgent(app, person);
      expect((await person.api.delete(`/agents/${gone.id}`)).status).toBe(204);
      const message = 'before refers to an agent that was deleted: request the list again without before';
      expectError(await person.api.get(`/agents?sort=${sort}&before=${gone.id}`), 422, message);
    },
  );
});
