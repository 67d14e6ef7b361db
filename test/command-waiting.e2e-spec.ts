import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { jest } from '@jest/globals';
import type { Response } from 'express';
import { Client } from 'pg';
import { AgentRuntimeController } from '../src/agent-runtime/agent-runtime.controller.js';
import { CommandWaitingService } from '../src/commands/command-waiting.service.js';
import { Database } from '../src/database/database.js';
import { poolOf } from '../src/database/sql.js';
import { Drain } from '../src/http/drain.js';
import { acknowledge, createAgent, deploy, poll } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { expectError } from './harness/error-shape.js';
import { statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { waitingPolls } from './harness/waiting-polls.js';

const fail = (error: unknown) => {
  throw error;
};

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterEach(() => jest.restoreAllMocks());

afterAll(() => app.close());

describe('A waiting poll', () => {
  it('returns as soon as a command exists', async () => {
    const agent = await createAgent(app, person);
    const [waiting] = await waitingPolls(app, 1, () => poll(agent, '?wait=30'));
    await deploy(person, agent);
    expect(await waiting).toHaveLength(1);
  });

  it('returns as soon as another instance creates a command', async () => {
    const other = await startTestApp({ database: app.database });
    try {
      const agent = await createAgent(app, person);
      const elsewhere = other.api.as(agent.key);
      // The instance has cached that nothing is pending.
      expect((await elsewhere.get('/agents/commands')).body.commands).toEqual([]);
      const [waiting] = await waitingPolls(other, 1, () => elsewhere.get('/agents/commands?wait=30'));
      await deploy(person, agent);
      expect((await waiting!).body.commands).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it('returns a command when the previous command of the deployment is settled', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    const first = (await poll(agent))[0]!;
    await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
    const [waiting] = await waitingPolls(app, 1, () => poll(agent, '?wait=30'));
    await acknowledge(agent, first.command_id);
    expect((await waiting!)[0]!.parameters.replicas).toBe(3);
  });

  it('returns a command when its lease ends', async () => {
    const soon = await startTestApp({ database: app.database, settings: { COMMAND_LEASE_SECONDS: '1' } });
    try {
      const agent = await createAgent(soon, person);
      await deploy(person, agent);
      const first = (await poll(agent))[0]!;
      const [again] = await poll(agent, '?wait=30');
      expect(again).toMatchObject({ command_id: first.command_id, attempt: 2 });
    } finally {
      await soon.close();
    }
  });

  it('reads the queue again after the LISTEN connection was lost', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
    await poll(agent);
    let answered: number | undefined;
    const [waiting] = await waitingPolls(app, 1, () => poll(agent, '?wait=30'));
    void waiting!.then(({ length }) => (answered = length));
    // A change without a notification to this instance.
    await app.database.query(
      `UPDATE commands SET state = 'pending', leased_until = NULL WHERE deployment_id = $1 AND settled_at IS NULL`,
      [id],
    );
    await app.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'SELECT pg_is_in_recovery()%' AND pid <> pg_backend_pid()`,
    );
    // Earlier than its own regular read.
    await until(() => answered !== undefined, 10_000);
    expect(answered).toBe(1);
  });

  it('returns 401 when its agent is deleted on any instance', async () => {
    const other = await startTestApp({ database: app.database });
    try {
      const agent = await createAgent(app, person);
      const poller = other.api.as(agent.key);
      let status: number | undefined;
      const [waiting] = await waitingPolls(other, 1, () => poller.get('/agents/commands?wait=60'));
      void waiting!.then((reply) => (status = reply.status));
      expect((await person.api.delete(`/agents/${agent.id}`)).status).toBe(204);
      // Earlier than its own regular read.
      await until(() => status !== undefined, 15_000);
      expect(status).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('returns an empty list when its time is up', async () => {
    const agent = await createAgent(app, person);
    expect(await poll(agent, '?wait=0.05')).toEqual([]);
  });

  it('returns an empty list when eight newer polls of the agent wait', async () => {
    const agent = await createAgent(app, person);
    const leaving = new AbortController();
    const answered: number[] = [];
    const waiting = Array.from({ length: 12 }, async () => {
      const { body } = await agent.runtime.get('/agents/commands?wait=30', { signal: leaving.signal });
      answered.push(body.commands.length);
    });
    await until(() => answered.length >= 4);
    expect(app.app.get(CommandWaitingService)['polls'].countOf(agent.id)).toBe(8);
    await deploy(person, agent);
    await until(() => answered.length >= 5);
    expect(answered).toEqual([0, 0, 0, 0, 1]);
    leaving.abort();
    await Promise.allSettled(waiting);
  });

  it('runs no query while no command is pending', async () => {
    const agent = await createAgent(app, person);
    await poll(agent);
    // Housekeeping uses a connection now and then, and a busy machine may not trust its cache for a moment; a poll that
    // costs a query would do so each time.
    await until(async () => {
      const sent = await statementsOf(app, async () => {
        for (let count = 0; count < 10; count++) await poll(agent);
      });
      return sent.length === 0;
    });
  });

  it('returns from its handler at once, because Nest would keep memory until then', async () => {
    const { id: agentId } = await createAgent(app, person);
    const { response } = app.app.getHttpAdapter().getInstance();
    const reply = new ServerResponse(new IncomingMessage(new Socket())) as Response;
    Object.setPrototypeOf(reply, response);
    const returned: unknown = app.app
      .get(AgentRuntimeController)
      .pollCommands(
        { kind: 'agent', agentId, projectId: person.id },
        { limit: 1, wait: 0 },
        { reply, assertAllowed: async () => {} },
        reply,
        fail,
      );
    expect(returned).toBeUndefined();
    await until(() => reply.writableEnded);
  });

  it('takes no command when its caller has disconnected', async () => {
    const agent = await createAgent(app, person);
    const caller = new AbortController();
    const [waiting] = await waitingPolls(app, 1, () =>
      agent.runtime.get('/agents/commands?wait=30', { signal: caller.signal }),
    );
    const rejected = expect(waiting).rejects.toThrow();
    caller.abort();
    await rejected;
    // The service has noticed the disconnection, long before the poll's time limit.
    await until(() => app.app.get(CommandWaitingService)['polls'].countOf(agent.id) === 0);
    await deploy(person, agent);
    const [command] = await poll(agent);
    expect(command!.attempt).toBe(1);
  });

  it('takes no command when its caller disconnects before it is authenticated', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const holder = new Client(app.database.target);
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const hungUp = new Promise((resolve) => {
      app.app.getHttpServer().once('request', (_, response) => response.once('close', resolve));
    });
    const caller = new AbortController();
    const asked = agent.runtime.get('/agents/commands?wait=30', { signal: caller.signal });
    const rejected = expect(asked).rejects.toThrow();
    await until(async () => {
      const [row] = await app.database.query<{ waits: boolean }>(
        `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'api_keys'::regclass AND NOT granted) AS waits`,
      );
      return row!.waits;
    });
    caller.abort();
    await rejected;
    await hungUp;
    await holder.query('COMMIT');
    await holder.end();
    expect((await poll(agent))[0]).toMatchObject({ action: 'deploy', attempt: 1 });
  });

  it('returns no command to a key that is revoked while it waits', async () => {
    const agent = await createAgent(app, person);
    const revoked = (await person.api.post('/api-keys', { name: 'stolen', agent_id: agent.id })).body;
    const thief = app.api.as(revoked.key);
    const [waiting] = await waitingPolls(app, 1, () => thief.get('/agents/commands?wait=30'));
    expect((await person.api.delete(`/api-keys/${revoked.id}`)).status).toBe(204);
    await deploy(person, agent);
    expectError((await waiting)!, 401);
    expect((await poll(agent))[0]).toMatchObject({ action: 'deploy', attempt: 1 });
  });

  it('returns no command to a key that is revoked during the first read of the queue', async () => {
    const agent = await createAgent(app, person);
    const revoked = (await person.api.post('/api-keys', { name: 'stolen', agent_id: agent.id })).body;
    const thief = app.api.as(revoked.key);
    // The key is cached from now on, but not the state of the queue.
    expect((await thief.get(`/agents/${agent.id}/status`)).status).toBe(200);
    const { runtimes } = app.app.get(Database);
    const pool = poolOf(runtimes.requireDataSource());
    const held = await Promise.all(Array.from({ length: runtimes.size }, () => pool.connect()));
    const waiting = thief.get('/agents/commands?wait=30');
    await until(() => app.app.get(CommandWaitingService)['polls'].countOf(agent.id) > 0);
    expect((await person.api.delete(`/api-keys/${revoked.id}`)).status).toBe(204);
    await deploy(person, agent);
    for (const connection of held) connection.release();
    expectError(await waiting, 401);
    expect((await poll(agent))[0]).toMatchObject({ action: 'deploy', attempt: 1 });
  });

  it('returns an empty list when the service shuts down', async () => {
    const ending = await startTestApp({ database: app.database });
    try {
      const agent = await createAgent(app, person);
      const elsewhere = ending.api.as(agent.key);
      const waits = await waitingPolls(ending, 20, () => elsewhere.get('/agents/commands?wait=60'));
      ending.app.get(Drain).begin();
      for (const reply of await Promise.all(waits)) {
        expect(reply.status).toBe(200);
        expect(reply.body).toEqual({ commands: [] });
      }
      expect((await ending.api.get('/ready')).status).toBe(503);
    } finally {
      await ending.close();
    }
  });
});
