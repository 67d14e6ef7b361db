import { readFile } from 'node:fs/promises';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { expectError } from './harness/error-shape.js';

let service: TestApp;
let people = 0;

const somebody = () => `reader-${++people}@example.com`;
const subscribe = (body: unknown, through = service) => through.api.post('/newsletter', body);

async function subscriberCount(): Promise<number> {
  const reply = await service.api.get('/newsletter');
  expect(reply.status).toBe(200);
  expect(Object.keys(reply.body)).toEqual(['count']);
  return reply.body.count;
}

/** The count by the slow query. */
async function rowCount(): Promise<number> {
  const [row] = await service.database.query<{ rows: number }>(
    'SELECT count(*)::int AS rows FROM newsletter_subscribers',
  );
  return row!.rows;
}

beforeAll(async () => {
  service = await startTestApp();
});

afterAll(() => service.close());

describe('POST /newsletter', () => {
  it('accepts an email, and says when it is subscribed already', async () => {
    const before = await subscriberCount();
    const email = somebody();
    const first = await subscribe({ email, source: 'landing-page' });
    expect([first.status, first.body]).toEqual([
      200,
      { success: true, message: 'You are subscribed', duplicate: false },
    ]);
    const second = await subscribe({ email });
    expect([second.status, second.body]).toEqual([
      200,
      { success: true, message: 'You are already subscribed', duplicate: true },
    ]);
    expect(await subscriberCount()).toBe(before + 1);
  });

  it('compares emails without case and surrounding space, and keeps the first spelling', async () => {
    await subscribe({ email: ' Grace@Example.COM ', source: '  ' });
    for (const email of ['grace@example.com', 'GRACE@EXAMPLE.COM', ' Grace@Example.COM']) {
      expect((await subscribe({ email, source: 'later' })).body.duplicate).toBe(true);
    }
    const rows = await service.database.query(
      "SELECT email, source FROM newsletter_subscribers WHERE lower(email) = 'grace@example.com'",
    );
    expect(rows).toEqual([{ email: 'Grace@Example.COM', source: null }]);
  });

  it('stores one row for racing sign-ups on two instances, and only one reply has duplicate: false', async () => {
    const other = await startTestApp({ database: service.database });
    try {
      const before = await subscriberCount();
      const email = somebody();
      const replies = await Promise.all(
        Array.from({ length: 24 }, (_, index) =>
          subscribe({ email: index % 2 ? email : email.toUpperCase() }, index % 3 ? service : other),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual(Array(24).fill(200));
      expect(replies.filter(({ body }) => !body.duplicate)).toHaveLength(1);
      expect(await subscriberCount()).toBe(before + 1);
      expect(await rowCount()).toBe(before + 1);
    } finally {
      await other.close();
    }
  });

  it.each<[string, unknown, RegExp]>([
    ['no address', {}, /email/],
    ['what is no address', { email: 'nobody' }, /email must be an email/],
    ['two addresses', { email: 'a@example.com,b@example.com' }, /email must be an email/],
    ['an address that is no text', { email: ['a@example.com'] }, /email/],
    ['an endless address', { email: `${'a'.repeat(250)}@example.com` }, /email/],
    ['a source that is too long', { email: 'a@example.com', source: 'x'.repeat(101) }, /source/],
    ['a source that is no text', { email: 'a@example.com', source: 1 }, /source must be a string/],
    ['what it does not know', { email: 'a@example.com', name: 'A' }, /property name should not exist/],
  ])('refuses %s', async (_, body, message) => {
    expectError(await subscribe(body), 422, message);
  });

  it('accepts a source of the maximum length and no source', async () => {
    for (const source of ['x'.repeat(100), '', null]) {
      expect((await subscribe({ email: somebody(), source })).status).toBe(200);
    }
  });
});

describe('GET /newsletter', () => {
  it('counts each new address once, for any number of simultaneous sign-ups', async () => {
    const before = await subscriberCount();
    const addresses = Array.from({ length: 50 }, () => somebody());
    const calls = [...addresses, ...addresses].map(async (email) => ({
      email,
      status: (await subscribe({ email })).status,
    }));
    // A busy service answers some with 503, and stores none of those.
    const stored = (await Promise.all(calls)).filter(({ status }) => status === 200);
    expect(await subscriberCount()).toBe(before + new Set(stored.map(({ email }) => email)).size);
    expect(stored.length).toBeGreaterThan(10);
  });

  it('is right again after an address was removed as its page says', async () => {
    const email = somebody();
    await subscribe({ email });
    const before = await subscriberCount();
    const page = await readFile('docs/personal-data.md', 'utf8');
    const [, removal] = /```sql\n(WITH removed AS [^`]+)```/.exec(page)!;
    for (const left of [before - 1, before - 1]) {
      await service.database.query(removal!.replace('ada@example.com', email));
      expect(await subscriberCount()).toBe(left);
    }
  });

  it('reads one row for any number of subscribers', async () => {
    const plan = await service.database.query<{ 'QUERY PLAN': string }>(
      'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF) SELECT subscribers FROM newsletter_size',
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(/actual rows=1\b/);
  });
});
