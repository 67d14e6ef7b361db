import { once } from 'node:events';
import { connect } from 'node:net';
import type { AgentUnderTest } from '../../packages/conformance/src/agent-under-test.js';
import { pollsWithPatience } from '../../packages/conformance/src/checks/requests.js';
import { ReplicaWatch } from '../../packages/conformance/src/replica-watch.js';
import { newIdentity, PlayedService } from '../../packages/conformance/src/service/played-service.js';
import { Stage } from '../../packages/conformance/src/stage.js';
import { until } from '../harness/until.js';
import { evidence } from './seen-evidence.js';

let service: PlayedService;

beforeEach(async () => {
  service = new PlayedService(newIdentity());
  await service.open(0);
});

afterEach(() => service.close());

/** Sends a poll just before its end. */
class PollingToTheLast implements AgentUnderTest {
  readonly end = null;
  readonly output = '';

  async stop(): Promise<boolean> {
    await this.kill();
    return true;
  }

  async kill(): Promise<void> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const headers = `host: service\r\nauthorization: Bearer ${service.identity.key}`;
    socket.write(`GET /agents/commands?wait=10 HTTP/1.1\r\n${headers}\r\n\r\n`);
    socket.destroy();
  }
}

describe('A poll that an agent sent just before its process ended', () => {
  it.each(['stopped', 'killed'] as const)(
    'is not counted as a breach of the next process: %s',
    async (how) => {
      const patience = { patienceMs: 1_000, endPatienceMs: 1_000 };
      const launch = () => Promise.resolve(new PollingToTheLast());
      const stage = new Stage(service, new ReplicaWatch(() => service.now()), launch, () => '{}', patience);
      await stage.startAgent();
      await stage.endAgent(how);
      await stage.startAgent();
      await until(() => service.calls.some(({ hungUp }) => hungUp));
      const { calls, outages } = service;
      expect(pollsWithPatience.examine(evidence({ calls, outages, overAt: Infinity }))).toEqual([]);
    },
  );
});
