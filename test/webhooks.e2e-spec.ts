import { randomBytes } from 'node:crypto';
import { type Person, registerPerson } from './builders/people.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const URL = 'http://127.0.0.1:9/hook';
const UNKNOWN = '00000000-0000-7000-8000-000000000000';

let app: TestApp;
let person: Person;
let stranger: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
  person = await registerPerson(app);
  stranger = await registerPerson(app);
});

afterAll(() => app.close());

describe('POST /webhooks', () => {
  it.each(['/webhooks', '/webhooks/'])(
    'creates a webhook at %s and returns its secret in this reply only',
    async (path) => {
      const { status, body } = await person.api.post(path, { url: URL });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.any(String),
        user_id: person.id,
        project_id: person.id,
        url: URL,
        events: ['*'],
        format: 'standard',
        description: null,
        include_payloads: false,
        is_active: true,
        disabled_reason: null,
        health: { state: 'unknown', last_status_code: null, failing_since: null },
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        updated_at: body.created_at,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      });
      const shown = await person.api.get(`/webhooks/${body.id}`);
      expect({ ...shown.body, secret: body.secret }).toEqual(body);
      expect(shown.body).not.toHaveProperty('secret');
    },
  );

  it('accepts every property', async () => {
    const wish = {
      url: URL,
      events: ['deployment.*', 'agent.created'],
      secret: `whsec_${randomBytes(24).toString('base64')}`,
      description: 'On-call',
      format: 'slack',
      is_active: false,
    };
    expect((await person.api.post('/webhooks', wish)).body).toMatchObject(wish);
  });

  it.each([
    [{}, /url must be a string/],
    [{ url: 7 }, /url must be a string/],
    [{ url: 'ftp://example.com' }, /url must be an absolute http or https URL/],
    [{ url: 'http://user:pw@example.com' }, /url must not contain credentials/],
    [{ url: `http://example.com/${'x'.repeat(2_048)}` }, /url must be shorter/],
    [{ url: URL, format: 'teams' }, /format must be one of/],
    [{ url: URL, events: [] }, /events must contain at least 1/],
    [{ url: URL, events: '*' }, /events must be an array/],
    [{ url: URL, events: null }, /events must be an array/],
    [{ url: URL, events: ['*', '*'] }, /unique/],
    [{ url: URL, events: ['deployment.exploded'] }, /each value in events must be one of/],
    [{ url: URL, events: ['deployment'] }, /each value in events must be one of/],
    [{ url: URL, events: ['webhook.test'] }, /each value in events must be one of/],
    [{ url: URL, secret: 'guess' }, /secret must be "whsec_"/],
    [{ url: URL, secret: `whsec_${randomBytes(16).toString('base64')}` }, /24 to 64 bytes/],
    [{ url: URL, is_active: 'yes' }, /is_active must be a boolean/],
    [{ url: URL, description: 7 }, /description must be a string/],
    [{ url: URL, user_id: UNKNOWN }, /user_id should not exist/],
  ])('refuses %j', async (body, message) => {
    const reply = await person.api.post('/webhooks', body);
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toMatch(message);
  });

  it('creates one webhook for repeated requests with one Idempotency-Key', async () => {
    const options = { headers: { 'idempotency-key': 'one webhook' } };
    const first = await person.api.post('/webhooks', { url: URL }, options);
    const second = await person.api.post('/webhooks', { url: URL }, options);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  it('refuses more than a hundred webhooks', async () => {
    const collector = await registerPerson(app);
    await app.database.query(
      `INSERT INTO webhooks (id, user_id, url, events, is_active, secret)
       SELECT make_uuidv7(), $1, $2, '{*}', true, 'whsec_' FROM generate_series(1, 100)`,
      [collector.id, URL],
    );
    const reply = await collector.api.post('/webhooks', { url: URL });
    expect(reply.status).toBe(409);
    expect(reply.body.message).toBe(
      `The project ${collector.id} can have 100 webhooks at most: delete one first`,
    );
    const [last] = (await collector.api.get('/webhooks?limit=1')).body;
    await collector.api.delete(`/webhooks/${last.id}`);
    expect((await collector.api.post('/webhooks', { url: URL })).status).toBe(201);
  });
});

describe('160 simultaneous creations', () => {
  it('create exactly a hundred webhooks, and the others are refused', async () => {
    const collector = await registerPerson(app);
    const replies = await Promise.all(
      Array.from({ length: 160 }, (_, index) => {
        const headers = index % 2 ? { 'idempotency-key': `webhook ${index}` } : undefined;
        // A busy machine refuses some with 503, and they come again.
        return until(async () => {
          const reply = await collector.api.post('/webhooks', { url: URL }, { headers });
          return reply.status !== 503 && reply;
        });
      }),
    );
    const count = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
    expect([count(201), count(409)]).toEqual([100, 60]);
    const list = await collector.api.get('/webhooks?limit=1&include_total=true');
    expect(list.headers.get('x-total-count')).toBe('100');
  });
});

describe('GET /webhooks', () => {
  it("lists the caller's webhooks, newest first, with and without a trailing slash", async () => {
    const owner = await registerPerson(app);
    const first = await createWebhook(owner, URL);
    const second = await createWebhook(owner, URL);
    for (const path of ['/webhooks', '/webhooks/']) {
      const { status, body } = await owner.api.get(path);
      expect(status).toBe(200);
      expect(body.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
      expect(JSON.stringify(body)).not.toContain('whsec_');
    }
    const page = await owner.api.get('/webhooks/?limit=1&include_total=true');
    expect(page.headers.get('x-total-count')).toBe('2');
    expect(page.headers.get('link')).toContain(`before=${second.id}`);
  });
});

describe('PATCH /webhooks/{id}', () => {
  it('changes the given properties and keeps the others', async () => {
    const wish = { events: ['agent.*'], description: 'before' };
    const { id } = await createWebhook(person, URL, wish);
    const change = async (body: object) => (await person.api.patch(`/webhooks/${id}`, body)).body;
    expect(await change({ url: 'http://127.0.0.1:9/other' })).toMatchObject({
      ...wish,
      url: 'http://127.0.0.1:9/other',
    });
    expect(await change({ events: ['*'] })).toMatchObject({ description: 'before', events: ['*'] });
    expect(await change({ format: 'text' })).toMatchObject({ format: 'text', description: 'before' });
    expect(await change({ description: null })).toMatchObject({ description: null, events: ['*'] });
    expect(await change({ is_active: false })).toMatchObject({ is_active: false, disabled_reason: null });
    expect(await change({})).toMatchObject({ is_active: false, events: ['*'] });
    const last = await person.api.patch(`/webhooks/${id}/`, { is_active: true });
    expect(last.body).toMatchObject({ is_active: true, url: 'http://127.0.0.1:9/other' });
    expect(last.body).not.toHaveProperty('secret');
  });

  it.each([
    [{ url: null }, /url must be/],
    [{ url: 'nowhere' }, /url must be an absolute/],
    [{ events: null }, /events must be/],
    [{ format: null }, /format must be/],
    [{ is_active: null }, /is_active must be/],
    [{ secret: null }, /secret must be/],
    [{ disabled_reason: 'x' }, /should not exist/],
  ])('refuses %j', async (body, message) => {
    const { id } = await createWebhook(person, URL);
    const reply = await person.api.patch(`/webhooks/${id}`, body);
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toMatch(message);
  });
});

describe('DELETE /webhooks/{id}', () => {
  it('removes the webhook from every route', async () => {
    const { id } = await createWebhook(person, URL);
    expect((await person.api.delete(`/webhooks/${id}`)).status).toBe(204);
    expect((await person.api.get(`/webhooks/${id}`)).status).toBe(404);
    expect((await person.api.delete(`/webhooks/${id}`)).status).toBe(404);
    const list = (await person.api.get('/webhooks?limit=100')).body;
    expect(list.map((webhook: { id: string }) => webhook.id)).not.toContain(id);
  });
});

describe("Another user's webhook", () => {
  const routes: { method: string; path: string; body?: object }[] = [
    { method: 'GET', path: '' },
    { method: 'PATCH', path: '', body: { description: 'mine now' } },
    { method: 'PATCH', path: '', body: { url: 'http://127.0.0.1:9/mine' } },
    { method: 'PATCH', path: '', body: { secret: `whsec_${randomBytes(32).toString('base64')}` } },
    { method: 'DELETE', path: '' },
    { method: 'POST', path: '/test' },
    { method: 'POST', path: '/rotate-secret' },
    { method: 'POST', path: '/recover', body: { since: '2020-01-01T00:00:00Z' } },
    { method: 'GET', path: '/deliveries' },
    { method: 'POST', path: `/deliveries/${UNKNOWN}/redeliver` },
  ];

  it.each(routes)('returns 404 to $method /webhooks/{id}$path', async ({ method, path, body }) => {
    const { id } = await createWebhook(person, URL);
    const [before] = await app.database.query('SELECT * FROM webhooks WHERE id = $1', [id]);
    const reply = await stranger.api.request(method, `/webhooks/${id}${path}`, { body });
    expect(reply.status).toBe(404);
    expect(reply.body.message).toBe('Webhook not found');
    const [after] = await app.database.query('SELECT * FROM webhooks WHERE id = $1', [id]);
    expect(after).toEqual(before);
    expect((await stranger.api.request(method, `/webhooks/${UNKNOWN}${path}`, { body })).body.message).toBe(
      'Webhook not found',
    );
    expect((await stranger.api.request(method, `/webhooks/nonsense${path}`, { body })).status).toBe(422);
    expect((await app.api.request(method, `/webhooks/${id}${path}`, { body })).status).toBe(401);
  });
});
