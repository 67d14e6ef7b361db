import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentProcess } from './agent-process.js';
import { Api, UnexpectedError } from './api.js';
import { nameId, note, received, sent, step } from './narrator.js';

const PATIENCE_MS = 30_000;

interface Deployment {
  readonly id: string;
  readonly status: string;
  readonly ready_replicas: number;
}

interface LogLine {
  readonly message: string;
}

interface Event {
  readonly sequence: number;
  readonly event_type: string;
  readonly status: string;
  readonly actor: string;
}

/** Polls until the agent has caused something. @throws UnexpectedError if that takes too long */
async function until<Body>(
  api: Api,
  path: string,
  isReached: (body: Body) => boolean,
  what: string,
): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { status, body } = await api.call<Body>('GET', path);
    if (status === 200 && isReached(body)) {
      sent('GET', path, undefined);
      received(status, body);
      return;
    }
    if (Date.now() > end)
      throw new UnexpectedError(`${what} did not happen within ${PATIENCE_MS / 1_000} seconds`);
    await delay(50);
  }
}

function check(isAsExpected: boolean, problem: string): void {
  if (!isAsExpected) throw new UnexpectedError(problem);
}

/**
 * Plays the demo: a person records, deploys, scales, stops, restarts and deletes an agent; the agent, a process of its
 * own, executes the commands.
 *
 * @throws UnexpectedError at the first step with another result than expected
 */
export async function tellStory(url: string): Promise<void> {
  const anyone = new Api(url);

  step('Is the service ready?');
  await anyone.tell(200, 'GET', '/ready');

  step('A person registers');
  const email = `ada-${randomBytes(4).toString('hex')}@example.com`;
  const tokens = await anyone.tell<{ access_token: string }>(201, 'POST', '/auth/register', {
    email,
    password: 'Correct-horse-7',
  });
  const person = anyone.as(tokens.access_token);

  step('... and records an agent; its key is shown this once');
  const agent = await person.tell<{ id: string; api_key: string }>(201, 'POST', '/agents', {
    name: 'invoice-reader',
    config: '{"model": "small"}',
  });

  nameId(agent.id, 'agent');

  step('... and deploys it: nothing runs yet, and nothing claims to');
  const deployment = await person.tell<Deployment>(200, 'POST', `/agents/${agent.id}/deploy`);
  check(deployment.status === 'deploying', `a new deployment is ${deployment.status}`);
  nameId(deployment.id, 'deployment');
  const path = `/deployments/${deployment.id}`;

  step("The agent's own process starts, elsewhere, with its key");
  const process = new AgentProcess(url, agent.api_key);
  try {
    const reached = (status: string, replicas: number) => (body: Deployment) =>
      body.status === status && body.ready_replicas === replicas;
    await until(person, path, reached('ready', 1), 'ready with 1 replica');

    step('The person asks for three replicas');
    await person.tell(200, 'POST', `${path}/scale`, { replicas: 3 });
    await until(person, path, reached('ready', 3), 'ready with 3 replicas');

    step('... reads what the agent logged');
    const logs = await person.tell<LogLine[]>(200, 'GET', `${path}/logs?limit=2`);
    check(logs[0]?.message === 'scale: 3 replicas run', 'the newest log line is not about the scale');

    step('... and how it does');
    const metrics = await person.tell<{ cpu_usage: number }[]>(200, 'GET', `${path}/metrics?limit=1`);
    check(metrics[0]?.cpu_usage === 12.5, 'the metric is not the one that was sent');

    step('... stops the agent');
    const stopped = await person.tell<{ stopped: number }>(200, 'POST', `/agents/${agent.id}/stop`);
    check(stopped.stopped === 1, `${stopped.stopped} deployments were stopped`);
    await until(
      person,
      `${path}/logs?limit=1`,
      ([line]: LogLine[]) => line?.message.startsWith('stop:') === true,
      'the stop',
    );

    step('... starts it again');
    await person.tell(200, 'POST', `${path}/restart`);
    await until(person, path, reached('ready', 3), 'ready after the restart');

    step('... and deletes the deployment: its record stays');
    await person.tell(204, 'DELETE', path);
    await until(person, path, reached('killed', 0), 'the kill');

    step('Every step is in its history');
    const history = await person.tell<{ items: Event[] }>(200, 'GET', `${path}/events`);
    const told = history.items.map((event) => event.event_type).reverse();
    for (const event of [...history.items].reverse()) {
      note(
        `${event.sequence}. ${event.event_type.padEnd(8)} ${event.status.padEnd(10)} by ${event.actor.split(':')[0]}`,
      );
    }
    const expected = 'deploy, running, ready, scale, stop, restart, running, ready, kill';
    check(told.join(', ') === expected, `the history is ${told.join(', ')}`);

    step('The person removes the agent: its key is refused, and its process ends by itself');
    await person.tell(204, 'DELETE', `/agents/${agent.id}`);
    check((await process.ended) === 0, 'the agent ended with an error');
  } finally {
    process.kill();
  }
}
