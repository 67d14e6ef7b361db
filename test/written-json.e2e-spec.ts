import fc from 'fast-check';
import { PAGE_BYTES } from '../src/budget/list-limits.js';
import { writtenBytes } from '../src/database/written-json.js';
import { storable } from '../src/http/storable-text.js';
import { acknowledge, createAgent, deploy, poll, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** PostgreSQL writes the numbers of a document with all their digits. */
let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  agent = await createAgent(app, person);
});

afterAll(() => app.close());

/** So many numbers of five characters, of which each is written with 309 digits. */
const numbers = (count: number) => Array.from({ length: count }, () => 1e308);
const logs = (metadata: object) =>
  agent.runtime.post('/agents/logs', { level: 'info', message: 'm', metadata });

describe('The length of a document as it is stored', () => {
  it("is PostgreSQL's length for any document", async () => {
    const text = fc.string({ unit: 'binary' }).map(storable);
    const document = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(
          text,
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.integer(),
          fc.boolean(),
          fc.constant(null),
        ),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(text, tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    const documents = fc.sample(document, { numRuns: 2_000, seed: 30 }).map((value) => JSON.stringify(value));
    const rows = await app.database.query<{ bytes: number }>(
      'SELECT octet_length(given::jsonb::text) AS bytes FROM unnest($1::text[]) WITH ORDINALITY AS it (given, place) ORDER BY place',
      [documents],
    );
    const differing = documents.filter((it, index) => writtenBytes(it) !== rows[index]!.bytes);
    expect(differing).toEqual([]);
  });
});

describe('What is stored is bounded by the form in which it is read again', () => {
  it('returns 422 when an agent registers with numbers that are written with too many digits', async () => {
    const rule = 'bytes as JSON, with all digits of its numbers';
    expectError(
      await agent.runtime.post('/agents/register', { metadata: { a: numbers(3_400) } }),
      422,
      `metadata must be at most 1048576 ${rule}`,
    );
    expectError(
      await agent.runtime.post('/agents/register', { capabilities: numbers(900) }),
      422,
      `capabilities must be at most 262144 ${rule}`,
    );
    const enrolment = await person.api.post('/agents/register', { metadata: { a: numbers(3_400) } });
    expectError(enrolment, 422);
  });

  it('returns 422 when the result of a command has too many digits, and takes a shorter one', async () => {
    await deploy(person, agent);
    const [command] = await poll(agent);
    const answer = (result: unknown) => acknowledge(agent, command!.command_id, { success: true, result });
    expectError(await answer(numbers(3_400)), 422, /^result must be at most 1048576 bytes/);
    expect((await answer(numbers(3_300))).status).toBe(200);
  });

  it.each(['metadata', 'custom'])('returns 422 when %s of an entry has too many digits', async (name) => {
    const send = (count: number) =>
      name === 'metadata'
        ? logs({ a: numbers(count) })
        : agent.runtime.post('/agents/metrics', { custom: { a: numbers(count) } });
    expectError(await send(110), 422, new RegExp(`^${name} must be an object of at most 16384 bytes`));
    expect((await send(100)).status).toBe(200);
  });

  it('leaves no page of agents above 2 MiB when each of them has the maximum', async () => {
    const told = [
      { metadata: { text: 'x'.repeat(1_048_000) } },
      { metadata: { a: numbers(3_300) } },
      { capabilities: 'x'.repeat(262_000) },
    ];
    // A text of 256 KiB, of which each backslash and each quote is escaped once more.
    const config = JSON.stringify('"'.repeat(131_000));
    for (let count = 0; count < 4; count++) {
      const { runtime } = await createAgent(app, person, { config });
      for (const details of [told[count % 2], told[2]])
        expect((await runtime.post('/agents/register', details)).status).toBe(200);
    }
    const ids = new Set<string>();
    for (let next: string | undefined = '/agents'; next !== undefined;) {
      const { body, headers }: ApiReply<{ id: string }[]> = await person.api.get(next);
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(PAGE_BYTES);
      for (const { id } of body) ids.add(id);
      next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    const [row] = await app.database.query<{ count: number }>('SELECT count(*)::int AS count FROM agents');
    expect(ids.size).toBe(row!.count);
  });
});
