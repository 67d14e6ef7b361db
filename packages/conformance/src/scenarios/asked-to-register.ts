import { registersWhenAsked } from '../checks/milestones.js';
import { isReportedReady } from '../readiness-reports.js';
import type { Scenario } from '../scenario.js';

export const askedToRegister: Scenario = {
  name: 'asked-to-register',
  title:
    'a restored service asks for a registration, and lists an earlier generation and not every deployment',
  judges: [registersWhenAsked],
  async play(stage) {
    const { service } = stage;
    const deployment = await stage.deployed();
    await stage.obey('scale', deployment, 2);
    const lost = stage.deployment();
    await stage.obey('deploy', lost);
    await stage.running(3);
    await stage.ready(deployment);
    // what a restore, or a failover that loses the last writes, leaves
    service.deployments.delete(lost.id);
    Object.assign(deployment, { generation: 1, replicas: 1, status: 'running' });
    const since = service.now();
    service.conditions.asksToRegister = true;
    await stage.must(
      registersWhenAsked,
      'The replies to its heartbeats asked for a registration, and it never registered again',
      () => stage.answered('register', since).length > 0,
    );
    await stage.running(1);
    await stage.should(
      registersWhenAsked,
      'It registered again, and never reported the generation that it was told: 1, with 1 ready replica',
      () => isReportedReady(service, deployment, since),
    );
    // a generation that it knew before, and that is new to the service
    await stage.obey('scale', deployment, 3);
    await stage.running(3);
    await stage.ready(deployment);
  },
};
