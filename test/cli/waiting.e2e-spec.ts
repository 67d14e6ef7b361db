import { createAgent, deploy, obey, report, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ServiceRelay } from '../harness/service-relay.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { type BreakableLink, linkTo } from './breakable-link.js';
import { Svc } from './svc.js';

let app: TestApp;
let link: BreakableLink;
let ada: Person;
let svc: Svc;

beforeAll(async () => {
  app = await startTestApp();
  link = await linkTo(app.url);
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(link.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await link.close();
  await app.close();
});

/** Acts as the runtime once there is a command. @returns the deployment's id */
async function carryOut(agent: TestAgent, state: object): Promise<string> {
  await until(async () => (await obey(agent)).length > 0);
  const { body } = await ada.api.get(`/agents/${agent.id}`);
  await report(agent, body.deployments[0].id, state);
  return body.deployments[0].id;
}

async function ready(): Promise<{ agent: TestAgent; deploymentId: string }> {
  const agent = await createAgent(app, ada);
  await deploy(ada, agent);
  const state = { status: 'ready', ready_replicas: 1, observed_generation: 1 };
  return { agent, deploymentId: await carryOut(agent, state) };
}

describe('--wait', () => {
  it('ends a deploy when the deployment is ready, and has printed its events', async () => {
    const agent = await createAgent(app, ada, { name: 'waited-for' });
    const waiting = svc.start(['agents', 'deploy', 'waited-for', '--wait', '-o', 'json']);
    // it prints events while it waits, so it must not end before they are printed
    await waiting.says('#1');
    await until(async () => (await obey(agent)).length > 0);
    await waiting.says('#2');
    const [{ id }] = (await ada.api.get(`/deployments?agent_id=${agent.id}`)).body;
    await report(agent, id, { status: 'ready', ready_replicas: 1, observed_generation: 1 });
    const { code, stdout, stderr } = await waiting.ended();
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, status: 'ready', ready_replicas: 1 });
    const told = stderr.split('\n').map((line) => /#\d+ +\S+/.exec(line)?.[0].replace(/ +/, ' '));
    // the last event may come after the check that ends the command
    expect(told.slice(0, 2)).toEqual(['#1 deploy', '#2 running']);
  });

  it('keeps the replicas that a deploy replaces, by a scale once the new deployment runs', async () => {
    const { agent, deploymentId } = await ready();
    await ada.api.post(`/deployments/${deploymentId}/scale`, { replicas: 3 });
    await carryOut(agent, { status: 'ready', ready_replicas: 3, observed_generation: 2 });
    const waiting = svc.start([
      'deploy',
      'create',
      '--agent-id',
      agent.id,
      '--replace',
      '--wait',
      '-o',
      'json',
    ]);
    await until(async () => (await obey(agent)).includes('deploy'));
    await until(async () => (await obey(agent)).includes('scale'));
    const [{ id, generation }] = (await ada.api.get(`/deployments?agent_id=${agent.id}`)).body;
    await report(agent, id, { status: 'ready', ready_replicas: 3, observed_generation: generation });
    const { code, stdout } = await waiting.ended();
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, id, replicas: 3, ready_replicas: 3 });
    await until(async () => (await ada.api.get(`/deployments/${deploymentId}`)).body.status === 'stopped');
    const noted = await svc.run(['deploy', 'create', '--agent-id', agent.id, '--replace']);
    expect(noted.stderr).toMatch(/^It starts with one replica in place of 3: "svc deploy scale \S+ 3"/);
  });

  it('fails with the reason when the deployment fails', async () => {
    const agent = await createAgent(app, ada);
    const waiting = svc.start(['deploy', 'create', '--agent-id', agent.id, '--wait']);
    await carryOut(agent, { status: 'failed', error_message: 'no \u001b[31mmodel' });
    const { code, stdout, stderr } = await waiting.ended();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: The deployment is failed: no \\u001b\[31mmodel; .*$/m);
  });

  it('says once that no runner is connected, and how to start one', async () => {
    await createAgent(app, ada, { name: 'nobody-runs-it' });
    const waiting = svc.start(['agents', 'deploy', 'nobody-runs-it', '--wait']);
    await waiting.says('No runner is connected: svc run --agent nobody-runs-it');
    const [newest] = (await ada.api.get('/deployments')).body;
    await ada.api.delete(`/deployments/${newest.id}`);
    const { stderr } = await waiting.ended();
    expect(stderr.match(/No runner is connected/g)).toHaveLength(1);
  });

  it('fails when the deployment is killed, and when the timeout is over', async () => {
    const agent = await createAgent(app, ada, { name: 'two words' });
    const late = await svc.run(['agents', 'deploy', agent.id, '--wait', '--timeout', '0']);
    expect(late).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        `Not done within 0s: it is deploying, 0 of 1 replicas ready. No runner is connected: svc run --agent ${agent.id}\n`,
      ),
    });
    await agent.runtime.post('/agents/register', {});
    const connected = await svc.run(['agents', 'deploy', agent.id, '--wait', '--timeout', '0']);
    expect(connected.stderr).toMatch(/Not done within 0s: .*; see "svc deploy commands/);
    const waiting = svc.start(['agents', 'deploy', agent.id, '-w']);
    await waiting.says('#1');
    const [newest] = (await ada.api.get(`/deployments?agent_id=${agent.id}`)).body;
    await ada.api.delete(`/deployments/${newest.id}`);
    expect(await waiting.ended()).toMatchObject({ code: 1, stderr: expect.stringContaining('is killed') });
  });

  it('waits until every replica of a scale is ready in the new generation', async () => {
    const { agent, deploymentId } = await ready();
    const relay = await ServiceRelay.start(app.url);
    const looks = () => relay.to(`/deployments/${deploymentId}`).length;
    /** Waits for a check that begins after this call and is not the last: another one follows. */
    const staysUndone = async () => {
      const before = looks();
      await until(() => looks() >= before + 2);
    };
    try {
      const waiting = svc.start(['deploy', 'scale', deploymentId, '3', '--wait', '-o', 'json'], {
        env: { SERVICE_API_URL: relay.url, SERVICE_API_KEY: ada.accessToken },
      });
      await waiting.says('scale');
      // the requested number, but reported for the earlier generation
      await report(agent, deploymentId, { status: 'ready', ready_replicas: 3, observed_generation: 1 });
      await staysUndone();
      await report(agent, deploymentId, { status: 'running', ready_replicas: 2, observed_generation: 1 });
      expect(await obey(agent)).toEqual(['scale']);
      await staysUndone();
      await report(agent, deploymentId, { status: 'ready', ready_replicas: 3, observed_generation: 2 });
      const { code, stdout } = await waiting.ended();
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, replicas: 3, ready_replicas: 3 });
    } finally {
      await relay.close();
    }
  });

  it('fails when another command supersedes the one it waits for', async () => {
    const { deploymentId } = await ready();
    const waiting = svc.start(['deploy', 'scale', deploymentId, '3', '--wait']);
    await waiting.says('scale');
    await ada.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2 });
    expect(await waiting.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('changed the deployment meanwhile'),
    });
  });

  it('waits for the end of a stop and of a restart, also across a lost connection', async () => {
    const { agent, deploymentId } = await ready();
    const stopping = svc.start(['agents', 'stop', agent.id, '--yes', '--wait', '-o', 'json']);
    await until(async () => (await obey(agent)).includes('stop'));
    const stopped = await stopping.ended();
    expect({ code: stopped.code, ...JSON.parse(stopped.stdout) }).toMatchObject({ code: 0, stopped: 1 });

    const restarting = svc.start(['deploy', 'restart', deploymentId, '--wait', '-o', 'json']);
    await restarting.says('restart');
    link.cut();
    await carryOut(agent, { status: 'ready', ready_replicas: 1, observed_generation: 2 });
    link.mend();
    const { code, stdout } = await restarting.ended();
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, status: 'ready', generation: 2 });
  });

  it('fails when the agent acknowledges a stop with an error', async () => {
    const { agent } = await ready();
    const stopping = svc.start(['agents', 'stop', agent.id, '--yes', '--wait']);
    const stop = await until(async () => (await agent.runtime.get('/agents/commands')).body.commands[0]);
    await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: stop.command_id,
      success: false,
      error: 'it does not listen',
    });
    const { code, stderr } = await stopping.ended();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('it does not listen') });
  });

  it('is required for --timeout', async () => {
    const { deploymentId } = await ready();
    const outcome = await svc.run(['deploy', 'scale', deploymentId, '2', '--timeout', '5s']);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('--wait') });
  });
});
