import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { AgentEntity } from '../src/agents/agent.entity.js';
import { AgentsRepository } from '../src/agents/agents.repository.js';
import { Database } from '../src/database/database.js';
import type { PageRequest } from '../src/database/page.js';
import { OF_PROJECT, readNewestOf } from '../src/database/project-pages.js';
import { rowsOf } from '../src/database/sql.js';
import type { Transaction } from '../src/database/transaction.js';
import { registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const PROJECTS: string[] = Array.from({ length: 12 }, () => randomUUID());
const UNDONE = new Error('The agents of one case are not those of the next one');

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  const { id } = await registerPerson(app);
  await app.database.query(
    `INSERT INTO projects (id, name, is_personal, created_by) SELECT id, id::text, false, $2 FROM unnest($1::uuid[]) AS id`,
    [PROJECTS, id],
  );
});

afterAll(() => app.close());

interface TestedAgent {
  readonly id: string;
  readonly projectId: string;
}

/** Agents that projects created one after the other, a burst of them at a time: some have all the newest, some have none. */
const agents = fc
  .array(fc.record({ project: fc.nat(PROJECTS.length - 1), length: fc.integer({ min: 1, max: 70 }) }), {
    maxLength: 20,
  })
  .map((bursts) => bursts.flatMap(({ project, length }) => Array.from({ length }, () => PROJECTS[project]!)))
  .map((owners) =>
    owners.map((projectId, nth): TestedAgent => ({
      id: `00000000-0000-7000-8000-${String(nth).padStart(12, '0')}`,
      projectId,
    })),
  );
const request = fc.record({
  limit: fc.integer({ min: 1, max: 60 }),
  skip: fc.nat(60),
  before: fc.nat(1_400),
  direction: fc.constantFrom('DESC' as const, 'ASC' as const),
});

/** Runs `work` while only these agents run. */
async function amongAgents(made: readonly TestedAgent[], work: (tx: Transaction) => Promise<void>) {
  const undone = app.app.get(Database).people.manager.transaction(async (tx) => {
    await rowsOf(
      tx,
      `INSERT INTO agents (id, user_id, name, type, status)
       SELECT id, project_id, 'agent', 'worker', 'running' FROM unnest($1::uuid[], $2::uuid[]) AS made (id, project_id)`,
      [made.map(({ id }) => id), made.map(({ projectId }) => projectId)],
    );
    await work(tx);
    throw UNDONE;
  });
  await expect(undone).rejects.toBe(UNDONE);
}

describe('The newest or oldest rows of some projects', () => {
  it('equal those of a plain sort for any distribution of rows', async () => {
    const repository = app.app.get(AgentsRepository);
    const some = fc.subarray(PROJECTS, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        agents,
        some,
        request,
        async (made, projectIds, { limit, skip, before, direction }) => {
          const newestFirst = made
            .filter(({ projectId }) => projectIds.includes(projectId))
            .map(({ id }) => id)
            .reverse();
          const sorted = direction === 'DESC' ? newestFirst : newestFirst.toReversed();
          const place = made[before]?.id;
          const part: PageRequest =
            place === undefined
              ? { limit, skip, includeTotal: true }
              : { limit, skip: 0, before: place, includeTotal: true };
          const isAfter = (id: string) =>
            place === undefined || (direction === 'DESC' ? id < place : id > place);
          const wanted = sorted.filter(isAfter).slice(part.skip);
          await amongAgents(made, async (tx) => {
            const query = tx
              .createQueryBuilder(AgentEntity, 'agent')
              .select('agent.id', 'id')
              .where(OF_PROJECT('agent'));
            const page = await readNewestOf<TestedAgent>(tx, projectIds, query, part, undefined, direction);
            expect(page.items.map(({ id }) => id)).toEqual(wanted.slice(0, limit));
            expect([page.hasMore, page.total]).toEqual([wanted.length > limit, sorted.length]);
            const first = { limit: 50, skip: 0, includeTotal: false };
            const listed = await repository.list(tx, { projectIds }, first, 3);
            expect(listed.items.map(({ id }) => id)).toEqual(newestFirst.slice(0, 50));
            expect(listed.hasMore).toBe(sorted.length > 50);
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});
