import type { Bench } from '../bench.js';
import { CONNECTIONS, type LoadRequest, underLoad } from '../load.js';
import { seedWebhooks, startReceiver } from '../receiver.js';
import { atLeast, type Section } from '../section.js';

/** One delivery attempt at a time, to a receiver that never answers, so that deliveries don't disturb other measurements. */
const SETTINGS = { WEBHOOK_CONCURRENCY: '1', WEBHOOK_TIMEOUT_SECONDS: '60' };
const AGENTS_OF_A_CONNECTION = 4;

/** An agent, its only deployment and their owner. */
interface Subject {
  readonly userId: string;
  readonly email: string;
  readonly agentId: string;
  readonly deploymentId: string;
}

/** Requests for one agent in turn, to the service and to the limit server. */
interface Cycle {
  readonly ours: (subject: Subject) => readonly LoadRequest[];
  readonly bare: (subject: Subject) => readonly object[];
}

/** The cycle begins with `stop`, which is never refused, because a measurement may end anywhere in the cycle. */
const startAndStop: Cycle = {
  ours: ({ agentId, deploymentId }) => [
    { method: 'POST', path: `/agents/${agentId}/stop` },
    { method: 'POST', path: `/deployments/${deploymentId}/restart` },
    { method: 'POST', path: `/agents/${agentId}/deploy` },
  ],
  bare: ({ userId, agentId, deploymentId }) => [
    { userId, agentId, action: 'stop' },
    { userId, agentId, action: 'restart', deploymentId },
    { userId, agentId, action: 'deploy' },
  ],
};

const scale: Cycle = {
  ours: ({ deploymentId }) =>
    [2, 3].map((replicas) => ({
      method: 'POST',
      path: `/deployments/${deploymentId}/scale`,
      body: { replicas },
    })),
  bare: ({ userId, agentId, deploymentId }) =>
    [2, 3].map((replicas) => ({ userId, agentId, action: 'scale', deploymentId, replicas })),
};

export const transition: Section = {
  name: 'transition',
  asks: 'stop, restart and deploy, and scale: ten users with a webhook each; history and command in the same transaction',
  async contenders(bench) {
    await seedWebhooks(bench, await startReceiver(bench, false));
    const service = await bench.service(SETTINGS);
    const limit = await bench.limit('node-http');
    const subjects = await takeSubjects(bench);
    const people = new Map<string, Readonly<Record<string, string>>>();
    for (const { email } of subjects) {
      if (!people.has(email)) people.set(email, await bench.login(service, email));
    }
    const contendersOf = (name: string, { ours, bare }: Cycle, turn: number) => {
      const subjectsOf = (connection: number) =>
        subjects.filter((_, index) => index % (2 * CONNECTIONS) === 2 * connection + turn);
      return [
        underLoad(bench, `${name}: service`, service, (connection) =>
          subjectsOf(connection).flatMap((subject) =>
            ours(subject).map((request) => ({ ...request, headers: people.get(subject.email) })),
          ),
        ),
        underLoad(bench, `${name}: limit`, limit, (connection) =>
          subjectsOf(connection).flatMap((subject) =>
            bare(subject).map((body): LoadRequest => ({ method: 'POST', path: '/step', body })),
          ),
        ),
      ];
    };
    return [...contendersOf('start and stop', startAndStop, 0), ...contendersOf('scale', scale, 1)];
  },
  targets: [
    atLeast(0.5, 'start and stop: service', 'start and stop: limit'),
    atLeast(0.5, 'scale: service', 'scale: limit'),
  ],
};

/** Agents of all users, beyond those that have keys. Their deployments can be scaled, because they are ready. */
async function takeSubjects({ database, seed }: Bench): Promise<Subject[]> {
  return database.query<Subject>(
    `WITH subject AS (
       SELECT bench_agents.id FROM bench_agents
       WHERE number >= $1 ORDER BY number LIMIT $2
     )
     UPDATE deployments AS deployment SET status = 'ready', ended_at = NULL
     FROM subject, users WHERE deployment.agent_id = subject.id AND users.id = deployment.user_id
     RETURNING users.id AS "userId", users.email, subject.id AS "agentId", deployment.id AS "deploymentId"`,
    [2 * seed.agents.length, 2 * CONNECTIONS * AGENTS_OF_A_CONNECTION],
  );
}
