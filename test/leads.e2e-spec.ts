import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const complete = {
  email: 'Ada@example.com',
  name: 'Ada Lovelace',
  company: 'Analytical Engines',
  message: 'We would like to run two hundred agents.',
  source: 'pricing-page',
};

let service: TestApp;
let operator: Person;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  operator = await registerOperator(service);
  person = await registerPerson(service);
});

afterAll(() => service.close());

async function leave(body: object = complete): Promise<any> {
  const reply = await service.api.post('/leads', body);
  expect(reply.status).toBe(201);
  return reply.body;
}

describe('POST /leads', () => {
  it('returns the lead', async () => {
    const lead = await leave();
    expect(lead).toEqual({
      id: expect.any(String),
      ...complete,
      email: 'ada@example.com',
      created_at: expect.any(String),
    });
    expect(Object.keys(lead)).toEqual(['id', 'email', 'name', 'company', 'message', 'source', 'created_at']);
    expect(lead.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('requires only an email, and stores empty values as null', async () => {
    const nothing = { name: null, company: null, message: null, source: null };
    expect(await leave({ email: ' b@example.com ' })).toMatchObject({ email: 'b@example.com', ...nothing });
    expect(await leave({ email: 'b@example.com', ...nothing })).toMatchObject(nothing);
    const empty = { name: '', company: '  ', message: '\n', source: '' };
    expect(await leave({ email: 'b@example.com', ...empty })).toMatchObject(nothing);
  });

  it.each(['name', 'company', 'source'])('is refused when its %s has invisible characters', async (field) => {
    for (const text of ['Ada\u200B Lovelace', 'gpj.\u202Eexe', '\u3164']) {
      const reply = await service.api.post('/leads', { ...complete, [field]: text });
      expectError(reply, 422, new RegExp(`^${field} must not have zero-width characters`));
    }
    expect(await leave({ ...complete, [field]: 'می\u200Cخواهم' })).toMatchObject({
      [field]: 'می\u200Cخواهم',
    });
  });

  it('stores the email in its canonical form', async () => {
    const { id, email } = await leave({ email: ' \uff21DA@Example.COM ' });
    expect(email).toBe('ada@example.com');
    expect((await operator.api.get(`/leads/${id}`)).body.email).toBe(email);
  });

  it('accepts the same email any number of times', async () => {
    const [one, two] = [await leave(), await leave({ ...complete, email: 'ADA@EXAMPLE.COM' })];
    expect(one.id).not.toBe(two.id);
  });

  it('repeats its reply under an Idempotency-Key', async () => {
    const send = () => service.api.post('/leads', complete, { headers: { 'idempotency-key': 'one-lead' } });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const rows = await service.database.query('SELECT id FROM leads WHERE id = $1', [first.body.id]);
    expect(rows).toHaveLength(1);
  });

  it.each<[string, object, RegExp]>([
    ['no address', { name: 'Ada' }, /email must be an email/],
    ['what is no address', { email: 'ada@' }, /email must be an email/],
    ['an endless address', { email: `${'a'.repeat(250)}@example.com` }, /email/],
    ['a name that is too long', { ...complete, name: 'x'.repeat(201) }, /^name must be shorter/],
    ['a company that is too long', { ...complete, company: 'x'.repeat(201) }, /^company must be shorter/],
    ['a message that is too long', { ...complete, message: 'x'.repeat(5_001) }, /^message must be shorter/],
    ['a source that is too long', { ...complete, source: 'x'.repeat(101) }, /^source must be shorter/],
    ['a message that is no text', { ...complete, message: { text: 'x' } }, /^message must be a string/],
    ['what it does not know', { ...complete, phone: '1' }, /^property phone should not exist$/],
  ])('refuses %s', async (_, body, message) => {
    expectError(await service.api.post('/leads', body), 422, message);
  });

  it('accepts values of the maximum length', async () => {
    await leave({
      email: 'long@example.com',
      name: 'x'.repeat(200),
      company: 'x'.repeat(200),
      message: 'x'.repeat(5_000),
      source: 'x'.repeat(100),
    });
  });
});

describe('GET /leads', () => {
  it('lists all leads to operators, newest first, page by page', async () => {
    const [older, newer] = [await leave(), await leave()];
    const all = await operator.api.get('/leads?limit=2&include_total=true');
    expect(all.status).toBe(200);
    expect(all.body).toEqual([newer, older]);
    expect(all.headers.get('link')).toBe(
      `</leads?limit=2&include_total=true&before=${older.id}>; rel="next"`,
    );
    const [{ count }] = (await service.database.query('SELECT count(*)::int FROM leads')) as [
      { count: number },
    ];
    expect(all.headers.get('x-total-count')).toBe(String(count));
    const rest = await operator.api.get('/leads?skip=1&limit=1');
    expect(rest.body).toEqual([older]);
  });

  it('returns one lead to operators', async () => {
    const lead = await leave();
    const reply = await operator.api.get(`/leads/${lead.id}`);
    expect([reply.status, reply.body]).toEqual([200, lead]);
    expectError(await operator.api.get(`/leads/${UNKNOWN}`), 404, 'Lead not found');
    expectError(await operator.api.get('/leads/x'), 422, 'lead_id must be a UUID');
  });

  it("accepts an operator's API key", async () => {
    const { key } = (await operator.api.post('/api-keys', { name: 'crm', everybody: true })).body;
    const lead = await leave();
    expect((await service.api.as(key).get('/leads?limit=1')).body).toEqual([lead]);
    const byHeader = await service.api.get(`/leads/${lead.id}`, { headers: { 'x-api-key': key } });
    expect(byHeader.body).toEqual(lead);
  });

  it('is refused to everybody else, whether the lead exists or not', async () => {
    const lead = await leave();
    for (const path of ['/leads', `/leads/${lead.id}`, `/leads/${UNKNOWN}`]) {
      expectError(await person.api.get(path), 403, 'Operators only');
      expectError(await service.api.get(path), 401, 'Invalid or expired token');
    }
  });
});
