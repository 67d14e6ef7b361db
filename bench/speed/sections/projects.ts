import { insertSearched } from '../../../src/agents/agent-copies.repository.js';
import { type BenchDatabase, vacuumFilled } from '../../fleet/bench-database.js';
import { underLoad } from '../load.js';
import { atMost, type Section } from '../section.js';
import type { Seed } from '../seed.js';

/** Projects of the member, the personal one among them. */
const PROJECTS = 20;
/** One agent of so many moves to each of the other projects. */
const ONE_IN = 1_000;

const TWENTY = 'twenty projects';
const ONE = 'one project';

/** A member of twenty projects, one of which has nearly all agents, asks for the newest of all, and of that one. */
export const projects: Section = {
  name: 'projects',
  asks: '`GET /agents?limit=50` by a member of twenty projects, 100,000 agents in one of them',
  async contenders(bench) {
    const { service, seed, person } = await bench.ofSize(bench.sizes.seed.agents, 1, shareAmongProjects);
    const listed = (query: string) => () => [
      { method: 'GET' as const, path: `/agents?limit=50${query}`, headers: person },
    ];
    return [
      underLoad(bench, TWENTY, service, listed('')),
      underLoad(bench, ONE, service, listed(`&project_id=${seed.userId}`)),
    ];
  },
  targets: [
    atMost(1.2, TWENTY, ONE, 'p50Ms', 'p50: twenty projects / this'),
    atMost(1.2, TWENTY, ONE, 'databaseMs', "PostgreSQL's time: twenty projects / this"),
  ],
};

/** Makes the owner of all agents the owner of further projects, with a few of the agents in each. */
async function shareAmongProjects(database: BenchDatabase, { userId }: Seed): Promise<void> {
  await database.query(
    `CREATE TABLE bench_projects AS
     SELECT number, uuidv7() AS id FROM generate_series(1, ${PROJECTS - 1}) AS number`,
  );
  await database.query(
    `INSERT INTO projects (id, name, is_personal, created_by)
     SELECT id, 'project-' || number, false, $1 FROM bench_projects`,
    [userId],
  );
  await database.query(
    `INSERT INTO project_members (user_id, project_id, source, role)
     SELECT $1, id, 'direct', 'owner' FROM bench_projects`,
    [userId],
  );
  for (const [table, agentId] of [
    ['agents', 'id'],
    ['agent_presence', 'agent_id'],
  ])
    await database.query(
      `UPDATE ${table} SET user_id = project.id
       FROM bench_projects AS project JOIN bench_agents AS agent ON agent.number % ${ONE_IN} = project.number
       WHERE ${table}.${agentId} = agent.id`,
    );
  await database.query('DELETE FROM agent_search');
  await database.query(insertSearched('agents'));
  await vacuumFilled(database);
}
