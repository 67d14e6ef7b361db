import { createHmac } from 'node:crypto';
import { createAgent, deploy, obey, report, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { type BreakableLink, linkTo } from './breakable-link.js';
import type { RunningSvc } from './running-svc.js';
import { Svc } from './svc.js';

let app: TestApp;
let link: BreakableLink;
let ada: Person;
let svc: Svc;
let running: RunningSvc | undefined;

beforeAll(async () => {
  app = await startTestApp({ settings: { STREAM_HEARTBEAT_SECONDS: '1' } });
  link = await linkTo(app.url);
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(link.url, ada.email);
});

afterEach(async () => {
  link.mend();
  await running?.interrupted();
  running = undefined;
});

afterAll(async () => {
  await svc.removeHome();
  await link.close();
  await app.close();
});

async function log(agent: TestAgent, ...messages: string[]): Promise<void> {
  for (const message of messages) await agent.runtime.post('/agents/logs', { level: 'info', message });
}

function messages({ lines }: RunningSvc): string[] {
  return lines.map((line) => JSON.parse(line).message);
}

function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
}

/** The same token, valid for three more seconds. */
function endingSoon(token: string): string {
  const [header, payload] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
  const changed = { ...claims, exp: Math.floor(Date.now() / 1_000) + 3 };
  const text = `${header}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}`;
  const secret = 'a secret for tests, of more than thirty-two bytes';
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

describe('svc agents logs --follow', () => {
  it('shows the last lines and then each new line once, also across a lost connection, until Ctrl-C', async () => {
    const agent = await createAgent(app, ada, { name: 'talker' });
    await log(agent, ...numbers(1, 5));
    running = svc.startProcess(['agents', 'logs', 'talker', '-n', '3', '--follow', '--output', 'json']);
    await running.prints(3);
    await log(agent, ...numbers(6, 8));
    await running.prints(6);
    link.cut();
    await running.says('Connection lost');
    await log(agent, ...numbers(9, 12));
    link.mend();
    await running.says('Connected again');
    await log(agent, '13');
    await running.prints(11);
    const outcome = await running.interrupted();
    expect(messages(running)).toEqual(numbers(3, 13));
    expect(outcome.code).toBe(130);
    expect(outcome.stderr.trim().split('\n')).toHaveLength(2);
  });

  it('loses and repeats no line while lines are written continuously', async () => {
    const agent = await createAgent(app, ada, { name: 'chatterbox' });
    let isOver = false;
    let sent = 0;
    const chatter = (async () => {
      while (!isOver) await log(agent, String((sent += 1)));
    })();
    try {
      await until(() => sent > 20);
      running = svc.start(['agents', 'logs', 'chatterbox', '-n', '10', '-f', '-o', 'json']);
      await running.prints(100);
    } finally {
      isOver = true;
      await chatter;
    }
    await until(() => messages(running!).at(-1) === String(sent));
    const shown = messages(running).map(Number);
    expect(shown).toEqual(numbers(shown[0]!, sent).map(Number));
  });

  it('shows only the lines of the deployment and the level of its options', async () => {
    const agent = await createAgent(app, ada);
    const [one, other] = [await deploy(ada, agent), await deploy(ada, agent)];
    running = svc.start(['deploy', 'logs', one, '--follow', '--level', 'error']);
    const say = (level: string, message: string, deployment_id: string) =>
      agent.runtime.post('/agents/logs', { level, message, deployment_id });
    await until(async () => {
      await say('error', 'here', one);
      return running!.lines.length > 0;
    });
    const before = running.lines.length;
    await say('error', 'elsewhere', other);
    await say('info', 'unwanted', one);
    await say('error', 'last', one);
    await until(() => running!.lines.at(-1)!.endsWith('last'));
    expect(running.stdout).not.toMatch(/elsewhere|unwanted/);
    expect(running.lines.length).toBeGreaterThan(before);
    expect(running.lines.at(-1)).toMatch(/^\S+Z {2}error {5}last$/);
  });

  it('continues after its access token has expired', async () => {
    const agent = await createAgent(app, ada);
    const own = await Svc.loggedIn(link.url, ada.email);
    try {
      const config = await own.config();
      const shortLived = endingSoon(config.api_key);
      await own.writeConfig({ ...config, api_key: shortLived });
      await log(agent, 'before');
      running = own.start(['agents', 'logs', agent.id, '-f', '-o', 'json']);
      await running.prints(1);
      // the service ends the stream, and the next connection has a new token
      await until(async () => (await own.config()).api_key !== shortLived);
      await log(agent, 'after');
      await until(() => messages(running!).includes('after'));
      expect(messages(running)).toEqual(['before', 'after']);
    } finally {
      await own.removeHome();
    }
  });

  it('exits with 1 when the agent is deleted, and with 3 when the credential is refused', async () => {
    const agent = await createAgent(app, ada);
    await log(agent, 'here');
    running = svc.start(['agents', 'logs', agent.id, '-f']);
    await running.prints(1);
    // later lines come with the stream, so it is open
    await log(agent, 'there');
    await running.prints(2);
    await ada.api.delete(`/agents/${agent.id}`);
    expect(await running.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has been removed'),
    });
    const refused = await svc.run(['agents', 'logs', agent.id, '-f'], {
      env: { SERVICE_API_KEY: 'svc_user_x' },
    });
    expect(refused).toMatchObject({ code: 3, stdout: '' });
  });

  it.each([[['agents', 'logs', 'x', '-f', '--until', '1h']], [['agents', 'logs', 'x', '-f', '--skip', '1']]])(
    'exits with 2 for options that contradict each other: %j',
    async (args) => {
      expect(await svc.run(args)).toMatchObject({ code: 2, stdout: '' });
    },
  );
});

describe('svc deploy events --follow', () => {
  it('shows the history and then each new event, filtered by the options', async () => {
    const agent = await createAgent(app, ada);
    const deploymentId = await deploy(ada, agent);
    running = svc.start(['deploy', 'events', deploymentId, '--follow']);
    const filtered = svc.start([
      'deploy',
      'events',
      deploymentId,
      '-f',
      '--event-type',
      'ready',
      '-o',
      'json',
    ]);
    await running.prints(1);
    await obey(agent);
    await report(agent, deploymentId, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
    await running.prints(3);
    expect(running.lines.map((line) => /#\d/.exec(line)?.[0])).toEqual(['#1', '#2', '#3']);
    expect(running.lines[2]).toContain('running -> ready');
    await filtered.prints(1);
    await filtered.interrupted();
    expect(filtered.lines.map((line) => JSON.parse(line).sequence)).toEqual([3]);
  });
});

describe('svc events', () => {
  it('reads the feed after a number, its newest events, and new events', async () => {
    const bea = await registerPerson(app);
    const hers = await Svc.loggedIn(link.url, bea.email);
    try {
      expect(await hers.json(['events'])).toEqual([]);
      const agent = await createAgent(app, bea);
      for (let n = 0; n < 4; n += 1) await deploy(bea, agent);
      const sequences = async (...args: string[]) =>
        (await hers.json(['events', ...args])).map((it: { user_sequence: number }) => it.user_sequence);
      expect(await sequences()).toEqual([1, 2, 3, 4]);
      expect(await sequences('-n', '2')).toEqual([3, 4]);
      expect(await sequences('--after', '1', '-n', '2')).toEqual([2, 3]);
      expect(await sequences('--after', '4')).toEqual([]);
      expect(await hers.run(['events', '--after', '5'])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^.*after is no longer known: start the stream without it.*\n$/),
      });
      running = hers.start(['events', '--after', '1', '--follow', '-o', 'json']);
      await running.prints(3);
      await deploy(bea, agent);
      await running.prints(4);
      expect(running.lines.map((line) => JSON.parse(line).user_sequence)).toEqual([2, 3, 4, 5]);
      expect(await hers.succeeds(['events', '-n', '1'])).toMatch(/^5 {2}\S+Z {2}#1 {2}deploy /);
    } finally {
      await hers.removeHome();
    }
  });

  it('ends without a message when its output is closed, as in a pipe to head', async () => {
    const agent = await createAgent(app, ada);
    const piped = svc.startProcess(['events', '--follow']);
    running = piped;
    await until(async () => {
      await deploy(ada, agent);
      return piped.lines.length > 0;
    });
    piped.process.stdout!.destroy();
    await until(async () => {
      await deploy(ada, agent);
      return piped.process.exitCode !== null;
    });
    expect(await piped.ended()).toMatchObject({ code: 0, stderr: '' });
  });
});
