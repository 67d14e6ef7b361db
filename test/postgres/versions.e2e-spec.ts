import { playStory } from '../audit/story.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { installedPostgresVersions, startInstalledPostgres } from '../harness/installed-postgres.mjs';
import { testDatabaseAt } from '../harness/test-database.js';

/** All other suites run on the embedded PostgreSQL 18. */
const majors = installedPostgresVersions();

// Reported as skipped if no older PostgreSQL is installed.
const describeEach = majors.length === 0 ? describe.skip : describe;
describeEach('An older PostgreSQL of this machine', () => {
  it.each(majors.length === 0 ? [14] : majors)(
    'is migrated and serves all operations of people and agents: %i',
    async (major) => {
      const server = await startInstalledPostgres(major);
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
    },
  );
});
