import { comesBack, worksOn } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';
import { LONGEST_PAUSE_MS } from './answered-again.js';

export const outage: Scenario = {
  name: 'outage',
  title: 'the service is away for some seconds: nothing listens there',
  judges: [comesBack, worksOn],
  async play(stage) {
    const { service, replicas } = stage;
    const deployment = await stage.deployed();
    const ended = () => replicas.stories.filter(({ endedAt }) => endedAt !== null).length;
    const endedBefore = ended();
    await service.goAway();
    await stage.watch(4_000);
    if (replicas.isInUse) {
      const lost = ended() - endedBefore;
      stage.judge(worksOn, lost > 0 ? `${lost} replicas ended while the service was away` : null);
    }
    await service.open();
    const since = service.now();
    await stage.must(
      comesBack,
      'No heartbeat came after the outage',
      () => stage.answered('heartbeat', since).length > 0,
    );
    await stage.must(
      comesBack,
      'No poll came after the outage',
      () => stage.calls('poll', since).length > 0,
      stage.patienceMs + LONGEST_PAUSE_MS,
    );
    await stage.obey('scale', deployment, 2);
    await stage.running(2);
    await stage.ready(deployment);
  },
};
