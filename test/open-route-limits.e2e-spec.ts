import { readSettings } from '../src/config/settings.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const settings = {
  RATE_LIMIT_NEWSLETTER_PER_ADDRESS: '4',
  RATE_LIMIT_LEADS_PER_ADDRESS: '4',
  // The tests use many addresses, like requests through a trusted proxy.
  TRUST_PROXY: '1',
};

let one: TestApp;
let two: TestApp;
let direct: TestApp;
let addresses = 0;
let people = 0;

beforeAll(async () => {
  one = await startTestApp({ settings });
  two = await startTestApp({ settings, database: one.database });
  direct = await startTestApp({ settings: { ...settings, TRUST_PROXY: 'false' }, database: one.database });
});

afterAll(async () => {
  await direct.close();
  await two.close();
  await one.close();
});

/** An address without earlier requests. */
const somewhere = () => `192.0.2.${++addresses}`;

function post(through: TestApp, path: string, forwardedFor: string, body?: object) {
  const headers = { 'x-forwarded-for': forwardedFor };
  return through.api.post(path, body ?? { email: `person-${++people}@example.com` }, { headers });
}

/** Sends the same requests to the two instances alternately. */
async function byTurns(count: number, path: string, forwardedFor: () => string, body?: object) {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) {
    statuses.push((await post(index % 2 ? two : one, path, forwardedFor(), body)).status);
  }
  return statuses;
}

describe.each([
  ['/newsletter', 200, 'newsletter_subscribers'],
  ['/leads', 201, 'leads'],
])('POST %s', (path, success, table) => {
  async function stored(): Promise<number> {
    const [row] = await one.database.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${table}`);
    return row!.rows;
  }

  it('is limited for each address over all instances, and returns the remaining count', async () => {
    const [from, before] = [somewhere(), await stored()];
    const first = await post(one, path, from);
    expect(first.status).toBe(success);
    expect(first.headers.get('ratelimit-limit')).toBe('4');
    expect(first.headers.get('ratelimit-remaining')).toBe('3');
    expect(await byTurns(5, path, () => from)).toEqual([success, success, success, 429, 429]);
    const refused = await post(two, path, from);
    expectError(refused, 429, 'Too many requests');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers.get('ratelimit-reset')).toBe(String(seconds));
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(await stored()).toBe(before + 4);
    expect((await post(two, path, somewhere())).status).toBe(success);
  });

  it('is limited apart from the other form and from reads', async () => {
    const from = somewhere();
    await byTurns(5, path === '/leads' ? '/newsletter' : '/leads', () => from);
    const headers = { 'x-forwarded-for': from };
    for (let count = 0; count < 6; count++) {
      expect((await one.api.get('/newsletter', { headers })).status).toBe(200);
    }
    expect(await byTurns(5, path, () => from)).toEqual([...Array(4).fill(success), 429]);
  });

  it('counts malformed requests', async () => {
    const from = somewhere();
    expect(await byTurns(4, path, () => from, { email: 'nobody' })).toEqual([422, 422, 422, 422]);
    expect((await post(one, path, from)).status).toBe(429);
  });

  it('counts repeated requests with an Idempotency-Key', async () => {
    const headers = { 'x-forwarded-for': somewhere(), 'idempotency-key': 'again' };
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) {
      const body = { email: `again-${path.slice(1)}@example.com` };
      statuses.push((await (index % 2 ? two : one).api.post(path, body, { headers })).status);
    }
    expect(statuses).toEqual([...Array(4).fill(success), 429]);
  });

  it('ignores addresses in X-Forwarded-For before that of the proxy', async () => {
    const from = somewhere();
    const forged = () => `${somewhere()}, 2001:db8::${addresses}, ${from}`;
    expect(await byTurns(5, path, forged)).toEqual([...Array(4).fill(success), 429]);
    const nonsense = () => `'; DROP TABLE leads, ${from}`;
    expect(await byTurns(1, path, nonsense)).toEqual([429]);
  });

  it('ignores X-Forwarded-For when no proxy is trusted', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await post(direct, path, somewhere())).status);
    expect(statuses).toEqual([...Array(4).fill(success), 429]);
  });
});

it('The limit of a public form is 30 a minute by default and ten times as high on the embedded database', () => {
  const names = ['RATE_LIMIT_NEWSLETTER_PER_ADDRESS', 'RATE_LIMIT_LEADS_PER_ADDRESS'] as const;
  for (const name of names) {
    expect(readSettings({ DATABASE_URL: 'postgres://elsewhere' })[name]).toBe(30);
    expect(readSettings({})[name]).toBe(300);
    expect(readSettings({ [name]: '5' })[name]).toBe(5);
    expect(() => readSettings({ [name]: '0' })).toThrow(name);
  }
});
