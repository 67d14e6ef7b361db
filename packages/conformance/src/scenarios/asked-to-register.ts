import { registersWhenAsked } from '../checks/milestones.js';
import { reportsOf } from '../evidence.js';
import { isReportedReady } from '../readiness-reports.js';
import type { Scenario } from '../scenario.js';

export const askedToRegister: Scenario = {
  name: 'asked-to-register',
  title: 'a restored service asks for a registration: it has lost a deployment, a scale and a stop',
  judges: [registersWhenAsked],
  async play(stage) {
    const { service } = stage;
    const deployment = await stage.deployed();
    await stage.obey('scale', deployment, 2);
    const lost = stage.deployment();
    await stage.obey('deploy', lost);
    const stopped = stage.deployment();
    await stage.obey('deploy', stopped);
    await stage.running(4);
    await stage.ready(deployment);
    await stage.obey('stop', stopped);
    await stage.running(3);
    // what a restore, or a failover that loses the last writes, leaves
    service.deployments.delete(lost.id);
    Object.assign(deployment, { generation: 1, replicas: 1, status: 'running' });
    stopped.status = 'ready';
    const since = service.now();
    service.conditions.asksToRegister = true;
    await stage.must(
      registersWhenAsked,
      'The replies to its heartbeats asked for a registration, and it never registered again',
      () => stage.answered('register', since).length > 0,
    );
    const isGivenUp = () =>
      reportsOf(service).some(
        ({ call, report }) =>
          call.at > since && report.deployment_id === stopped.id && report.status === 'failed',
      );
    await stage.should(
      registersWhenAsked,
      'It registered again, and neither runs nor reports as failed what it had stopped and what is listed as ready',
      () => isGivenUp() || isReportedReady(service, stopped, since),
    );
    const others = isGivenUp() ? 0 : 1;
    await stage.running(1 + others);
    await stage.should(
      registersWhenAsked,
      'It registered again, and never reported the generation that it was told: 1, with 1 ready replica',
      () => isReportedReady(service, deployment, since),
    );
    // a generation that it knew before, and that is new to the service
    await stage.obey('scale', deployment, 3);
    await stage.running(3 + others);
    await stage.ready(deployment);
  },
};
