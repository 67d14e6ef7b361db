import { urlOf } from '../harness/child-service.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import { openDatabase } from './open-database.js';

const PASSWORD = 'Password-of-the-role';

let database: TestDatabase;

beforeAll(async () => (database = await createTestDatabase()));

afterAll(() => database.drop());

/** The first line that the service logs about a database that it can't open. */
async function firstLine(url: string): Promise<string> {
  const lines: string[] = [];
  const opened = openDatabase({ url }, lines);
  try {
    return await until(() => lines[0]);
  } finally {
    await opened.close();
  }
}

describe('A service with a wrong address of its database', () => {
  it('names the setting when the server has no such database', async () => {
    const url = urlOf({ ...database.target, database: 'no_such_database' }).replace('@', `:${PASSWORD}@`);
    const line = await firstLine(url);
    expect(line).toMatch(/can't be opened yet: database "no_such_database" does not exist/);
    expect(line).toMatch(/: check the name of the database in DATABASE_URL$/);
    expect(line).not.toContain(PASSWORD);
  });

  it('names the setting when the server has no such user', async () => {
    const url = urlOf({ ...database.target, user: 'no_such_user' }).replace('@', `:${PASSWORD}@`);
    const line = await firstLine(url);
    expect(line).toMatch(
      /role "no_such_user" does not exist: check the user and the password in DATABASE_URL$/,
    );
    expect(line).not.toContain(PASSWORD);
  });
});
