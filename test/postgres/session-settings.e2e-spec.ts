import { createAgent } from '../builders/agents.js';
import { registerPerson } from '../builders/people.js';
import { urlOf } from '../harness/child-service.js';
import { withAdmin } from '../harness/cluster.mjs';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { Database } from '../../src/database/database.js';

/** Settings of the database that would change the format of times and the isolation of transactions. */
const OTHERS = {
  timezone: 'Asia/Tokyo',
  datestyle: 'German',
  default_transaction_isolation: 'serializable',
};

let database: TestDatabase;
let app: TestApp;

beforeAll(async () => {
  database = await createTestDatabase();
  for (const [name, value] of Object.entries(OTHERS)) {
    await withAdmin((admin) =>
      admin.query(`ALTER DATABASE ${database.target.database} SET ${name} = '${value}'`),
    );
  }
  app = await startTestApp({ database, target: { url: urlOf(database.target) } });
});

afterAll(async () => {
  await app.close();
  await database.drop();
});

describe('The sessions of the service', () => {
  it.each(['runtimes', 'people', 'searches', 'background'] as const)(
    'have its own settings when the database has others: %s',
    async (pool) => {
      const rows = await app.app.get(Database)[pool].manager.query(
        `SELECT current_setting('timezone') AS timezone, current_setting('datestyle') AS datestyle,
           current_setting('default_transaction_isolation') AS default_transaction_isolation`,
      );
      expect(rows).toEqual([
        {
          timezone: 'UTC',
          datestyle: expect.stringMatching(/^ISO/),
          default_transaction_isolation: 'read committed',
        },
      ]);
    },
  );

  it('show times as ISO text in UTC when the database writes them in another way', async () => {
    const person = await registerPerson(app);
    const { id } = await createAgent(app, person);
    const { body } = await person.api.get(`/agents/${id}`);
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(60_000);
  });
});
