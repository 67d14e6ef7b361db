import { playStory } from '../audit/story.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { oldestInstalledPostgres, startInstalledPostgres } from '../harness/installed-postgres.mjs';
import { testDatabaseAt } from '../harness/test-database.js';

/** All other suites run on the embedded PostgreSQL 18. */
const major = oldestInstalledPostgres();

// Reported as skipped where no older PostgreSQL is installed.
(major === undefined ? describe.skip : describe)(`PostgreSQL ${major}`, () => {
  it('is migrated, and serves everything that people and agents do', async () => {
    const server = await startInstalledPostgres(major!);
    const database = testDatabaseAt(server.connection, () => server.stop());
    try {
      const [told] = await database.query<{ server_version: string }>('SHOW server_version');
      expect(Number.parseInt(told!.server_version, 10)).toBe(major);
      const story = await playStory({ database });
      await expectCleanAudit(database);
      await story.close();
    } finally {
      await database.drop();
    }
  });
});
