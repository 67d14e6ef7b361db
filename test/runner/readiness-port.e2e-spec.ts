import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createAgent, deploy } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import { until } from '../harness/until.js';
import { FIXTURE, RunnerSuite } from './runner-suite.js';

const QUICK = { stop_grace_seconds: 5, restart: { first_delay_seconds: 0.1, give_up_after: 0 } };
const LISTENS = [process.execPath, FIXTURE, 'listen'];

/** `svc run`, and replicas whose readiness port is taken by another program. */
let suite: RunnerSuite;
let person: Person;

beforeAll(async () => {
  suite = await RunnerSuite.open();
  person = suite.person;
});

afterAll(() => suite.close());

async function stage(config: object) {
  const agent = await createAgent(suite.app, person, { config: { ...QUICK, ...config } });
  const deployment = await deploy(person, agent);
  suite.run({ HOME: suite.makeHome().path, SERVICE_AGENT_KEY: agent.key });
  return { agent, deployment };
}

const read = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;
const logsOf = async (id: string): Promise<any[]> =>
  (await person.api.get(`/deployments/${id}/logs?limit=500`)).body;
const shows = (id: string, status: string) => until(async () => (await read(id)).status === status);

describe('Readiness by port', () => {
  it('gives a replacing deployment its own port, and does not accept the port of the replaced one', async () => {
    const readiness = { port: 12_000 + Math.floor(Math.random() * 18_000), interval_seconds: 0.05 };
    const { deployment, agent } = await stage({ command: LISTENS, readiness });
    await shows(deployment, 'ready');
    const replace = async (config?: object) => {
      if (config) await person.api.patch(`/agents/${agent.id}`, { config });
      return (await person.api.post(`/agents/${agent.id}/deploy`, { replaces: 'active' })).body.id as string;
    };
    const silent = await replace({
      ...QUICK,
      command: ['sh', '-c', 'sleep 0.5; echo silent; sleep 600'],
      readiness,
    });
    // it was checked several times before that line
    await until(async () => (await logsOf(silent)).some(({ message }) => message === 'silent'));
    expect((await read(silent)).ready_replicas).toBe(0);
    expect((await read(deployment)).status).toBe('ready');
    await person.api.delete(`/deployments/${silent}`);
    const good = await replace({ ...QUICK, command: LISTENS, readiness });
    await shows(good, 'ready');
    await until(
      async () =>
        (await read(deployment)).status === 'killed' || (await read(deployment)).status === 'stopped',
    );
  });

  it('leaves a replica unready if another program listens at the port, and logs it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const readiness = { port, interval_seconds: 0.05 };
      const { deployment } = await stage({ command: ['sleep', '1000'], readiness });
      const told = `The readiness check is answered by another program, which listens at port ${port}`;
      await until(async () => (await logsOf(deployment)).some(({ message }) => message.includes(told)));
      expect((await read(deployment)).ready_replicas).toBe(0);
    } finally {
      server.close();
    }
  });
});
