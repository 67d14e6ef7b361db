import { jest } from '@jest/globals';
import { LivenessService } from '../src/deployments/liveness.service.js';
import { MonitoredFleet } from './harness/monitored-fleet.js';
import { until } from './harness/until.js';

let fleet: MonitoredFleet;

beforeAll(async () => {
  fleet = await MonitoredFleet.start();
});

beforeEach(() => fleet.renew());

afterEach(() => jest.restoreAllMocks());

afterAll(() => fleet.close());

describe('The monitor of a process that was suspended', () => {
  it('declares no agent lost until a full timeout has passed', async () => {
    const { agent } = await fleet.runningDeployment();
    const now = Date.now();
    fleet.monitor.noticeTime(now);
    fleet.monitor.noticeTime(now + 60_000);
    await fleet.silence(agent, 10_000);
    await fleet.runMonitor();
    expect(await fleet.agentStatus(agent)).toBe('running');
  });

  it('declares no agent lost by a query that began before the suspension', async () => {
    const { agent, id } = await fleet.runningDeployment();
    await fleet.silence(agent, 10_000);
    const liveness = fleet.app.app.get(LivenessService);
    const findSilence = liveness.findSilence.bind(liveness);
    fleet.monitor.noticeTime(Date.now());
    // The reply is processed before the clock's own timer runs.
    jest.spyOn(liveness, 'findSilence').mockImplementation(async (connection) => {
      const silence = await findSilence(connection);
      const resumedAt = Date.now() + 60_000;
      jest.spyOn(Date, 'now').mockReturnValue(resumedAt);
      return silence;
    });
    fleet.monitor.restartGracePeriod(-Infinity);
    await until(() => fleet.runMonitor());
    jest.restoreAllMocks();
    expect(await fleet.agentStatus(agent)).toBe('running');
    expect((await fleet.deployment(id)).status).toBe('running');
  });
});
