import { Client } from 'pg';
import { JOBS_LISTENER } from '../src/database/listening-instances.js';
import { grantToServiceRole } from '../src/service-role.js';
import { urlOf } from './harness/child-service.js';
import { withAdmin } from './harness/cluster.mjs';
import { runDoctor } from './harness/run-doctor.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';

let database: TestDatabase;
let app: TestApp;
/** The role of the service, which may have 30 connections. */
let service: string;
let target: TestDatabase['target'];

beforeAll(async () => {
  database = await createTestDatabase();
  service = `${database.target.database}_service`;
  await database.query(`CREATE ROLE ${service} LOGIN CONNECTION LIMIT 30`);
  const owner = new Client(database.target);
  await owner.connect();
  await grantToServiceRole(owner, service);
  await owner.end();
  target = { ...database.target, user: service };
  app = await startTestApp({ database: { ...database, target } });
});

afterAll(async () => {
  await app.close();
  await database.drop();
  await withAdmin((admin) => admin.query(`DROP ROLE ${service}`));
});

/** What the doctor says about connections. */
async function said(poolSize: string): Promise<string> {
  const settings = {
    NODE_ENV: 'production',
    DATABASE_URL: urlOf(target),
    DATABASE_POOL_SIZE: poolSize,
    JWT_SECRET: 'a secret for tests of the doctor, long enough',
    WEBHOOK_SECRET_KEY: 'a key for tests of the doctor, long enough',
  };
  const { findings } = await runDoctor(settings);
  const [found] = findings.filter(({ check }) => check === 'connections');
  return `${found!.status}: ${found!.message}`;
}

describe('The doctor', () => {
  it('reports a limit that leaves no connections for one more instance', async () => {
    expect(await said('26')).toMatch(
      /^warn: one more instance takes up to 28 connections \(DATABASE_POOL_SIZE and 2\), and \d+ of the 30 of the role are free$/,
    );
  });

  it('reports an instance whose pools exceed the limit', async () => {
    expect(await said('40')).toBe(
      'warn: 1 instance runs and takes up to 42 connections (DATABASE_POOL_SIZE and 2 for each), more than the 30 of the role',
    );
  });

  it('reports instances whose pools together exceed the limit', async () => {
    const another = new Client({ ...target, application_name: JOBS_LISTENER });
    await another.connect();
    try {
      expect(await said('14')).toBe(
        'warn: 2 instances run and take up to 32 connections (DATABASE_POOL_SIZE and 2 for each), more than the 30 of the role',
      );
    } finally {
      await another.end();
    }
  });
});
