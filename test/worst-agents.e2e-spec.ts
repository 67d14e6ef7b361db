import { createAgent, deploy, report, type TestAgent } from './builders/agents.js';
import type { ApiReply } from './harness/api-client.js';
import { MonitoredFleet } from './harness/monitored-fleet.js';

let fleet: MonitoredFleet;

beforeAll(async () => {
  fleet = await MonitoredFleet.start();
});

afterAll(() => fleet.close());

const named = (name: string): Promise<TestAgent> => createAgent(fleet.app, fleet.person, { name });

describe('A list of agents page by page', () => {
  /** The names that `Link` leads to, two on a page. */
  async function walk(query: string): Promise<string[]> {
    const names: string[] = [];
    let path: string | undefined = `/agents?${query}&limit=2`;
    while (path !== undefined && names.length < 20) {
      const reply: ApiReply<any> = await fleet.person.api.get(path);
      names.push(...reply.body.map(({ name }: { name: string }) => name));
      path = /^<(.*)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    return names;
  }

  it('has the worst first, and an agent that is silent by the clock once', async () => {
    await named('idle');
    const running: TestAgent[] = [];
    for (const name of ['well', 'silent', 'failed', 'mute', 'quiet']) {
      const { agent, id } = await fleet.runningDeployment();
      await fleet.person.api.patch(`/agents/${agent.id}`, { name });
      if (name === 'failed') await report(agent, id, { status: 'failed', error_message: 'gone' });
      if (['silent', 'mute', 'quiet'].includes(name)) running.push(agent);
    }
    await deploy(fleet.person, await named('never started'));
    for (const agent of running) await fleet.silence(agent, 121);
    const silent = ['quiet', 'mute', 'silent'];
    const whole = ['failed', 'never started', ...silent, 'well', 'idle'];
    expect(await walk('sort=health')).toEqual(whole);
    // a further filter uses another statement
    expect(await walk('sort=health&type=custom')).toEqual(whole);
    expect(await walk('sort=health&health=offline')).toEqual(whole.slice(1, 5));
    expect(await walk('connection=offline')).toEqual(silent);
    expect(await walk('connection=offline&sort=created')).toEqual(silent.toReversed());
  });
});
