import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { type Person, registerPerson } from './builders/people.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** Nobody listens there, and nothing is sent: the webhooks are switched off. */
const URL = 'http://127.0.0.1:9/hook';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { ...WEBHOOK_SETTINGS, DELIVERY_RETENTION_DAYS: '7' } });
  person = await registerPerson(app);
});

afterAll(() => app.close());

async function webhook(): Promise<string> {
  return (await createWebhook(person, URL, { is_active: false })).id;
}

/** Deliveries made so many days ago, less a minute. */
function deliver(webhookId: string, status: string, daysAgo: number, count = 1) {
  return app.database.query(
    `INSERT INTO webhook_deliveries (webhook_id, event, payload, status, next_attempt_at, is_leased, created_at)
     SELECT $1, 'agent.created', '{}', $2::text,
       CASE WHEN $2 = 'pending' THEN now() + interval '1 day' END, $2 = 'pending',
       now() - make_interval(days => $3) + interval '1 minute'
     FROM generate_series(1, $4::int)`,
    [webhookId, status, daysAgo, count],
  );
}

const deliveriesOf = (webhookId: string) =>
  app.database.query<{ status: string; days: number }>(
    `SELECT status, round(extract(epoch FROM now() - created_at) / 86400)::int AS days
     FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY days, status`,
    [webhookId],
  );

describe('The retention of deliveries', () => {
  it('deletes settled deliveries older than their retention, and keeps pending ones', async () => {
    const id = await webhook();
    for (const status of ['succeeded', 'failed', 'pending']) {
      for (const daysAgo of [1, 7, 8, 400]) await deliver(id, status, daysAgo);
    }
    await until(() => app.app.get(PeriodicJobs).runOnce('deliveryRetention'));
    const kept = (await deliveriesOf(id)).map(({ status, days }) => `${status} ${days}`);
    expect(kept).toEqual([
      ...['failed 1', 'pending 1', 'succeeded 1'],
      ...['failed 7', 'pending 7', 'succeeded 7'],
      ...['pending 8', 'pending 400'],
    ]);
  });

  it('continues in batches until none is left', async () => {
    const id = await webhook();
    await deliver(id, 'succeeded', 30, 12_000);
    await until(() => app.app.get(PeriodicJobs).runOnce('deliveryRetention'));
    expect(await deliveriesOf(id)).toEqual([]);
  });
});

describe('The purge of webhooks', () => {
  const exist = async (ids: readonly string[]) =>
    (await app.database.query('SELECT FROM webhooks WHERE id = ANY ($1::uuid[])', [ids])).length;

  it('continues past any number of webhooks that can not be purged', async () => {
    const stuck = await Promise.all(Array.from({ length: 25 }, webhook));
    const last = await webhook();
    for (const id of stuck) await deliver(id, 'succeeded', 1);
    await deliver(last, 'succeeded', 1, 2_500);
    await app.database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$;
       CREATE TRIGGER refuse BEFORE DELETE ON webhook_deliveries FOR EACH ROW
         WHEN (old.webhook_id <> '${last}') EXECUTE FUNCTION refuse()`,
    );
    try {
      for (const id of [...stuck, last]) await person.api.delete(`/webhooks/${id}`);
      await until(() => app.app.get(PeriodicJobs).runOnce('webhookPurge'));
      expect([await exist(stuck), await exist([last])]).toEqual([25, 0]);
    } finally {
      await app.database.query('DROP FUNCTION refuse CASCADE');
    }
    // a round of the service's own may have begun before the trigger was dropped
    await until(async () => {
      await app.app.get(PeriodicJobs).runOnce('webhookPurge');
      return (await exist(stuck)) === 0;
    });
  });
});
