import { refusesTheUnknown } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

export const unknownFields: Scenario = {
  name: 'unknown-fields',
  title: 'a newer service: replies with fields, and a command with an action, that nobody has heard of',
  conditions: { hasNews: true },
  judges: [refusesTheUnknown],
  async play(stage) {
    const deployment = await stage.deployed();
    await stage.ready(deployment);
    const { id: deploymentId, generation, replicas } = deployment;
    const command = stage.service.queue.add({
      action: 'hibernate',
      deploymentId,
      generation,
      replicas,
      config: '{}',
    });
    await stage.should(
      refusesTheUnknown,
      'It never acknowledged the action hibernate with success false and an error',
      () => command.acknowledgements.some(({ call, success }) => success === false && hasError(call.body)),
    );
    // the agent must continue: the next command is still carried out
    command.isSettled = true;
    await stage.obey('scale', deployment, 2);
    await stage.running(2);
  },
};

function hasError(body: unknown): boolean {
  const { error } = body as { error?: unknown };
  return typeof error === 'string' && error !== '';
}
