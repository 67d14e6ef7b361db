import { DEPLOYMENT_STATUSES, type DeploymentAction } from './deployment-lifecycle.js';
import { askedReplicasOf, commandAfter, type CommandFacts, pauseStepOf } from './deployment-pause.js';

/** A deployment whose runtime has confirmed its start. */
const started = { isHeld: false, replicas: 3, startGeneration: 1, observedGeneration: 1 };
const held = { ...started, isHeld: true };

describe('The command after a step', () => {
  const cases: [string, CommandFacts, { holds?: boolean; command?: 'scale' | 'stop' | 'deploy' }, unknown][] =
    [
      ['of a pause asks for no replica', held, { holds: true }, { action: 'scale', replicas: 0 }],
      ['of its end asks for all again', started, { holds: false }, { action: 'scale', replicas: 3 }],
      [
        'of its end asks for none where none is wanted, which confirms the generation',
        { ...started, replicas: 0 },
        { holds: false },
        { action: 'scale', replicas: 0 },
      ],
      [
        'of its end is the deploy that no runtime has confirmed',
        { ...started, startGeneration: 2, observedGeneration: null },
        { holds: false },
        { action: 'deploy', replicas: 3 },
      ],
      [
        'of its end is the restart that no runtime has confirmed',
        { ...started, startGeneration: 4, observedGeneration: 3 },
        { holds: false },
        { action: 'restart', replicas: 3 },
      ],
      ['of a scale is sent', started, { command: 'scale' }, { action: 'scale', replicas: 3 }],
      ['of a scale is withheld during a pause', held, { command: 'scale' }, null],
      ['of a deploy is withheld during a pause', held, { command: 'deploy' }, null],
      ['of a stop is sent during a pause', held, { command: 'stop' }, { action: 'stop', replicas: 3 }],
      ['of a report is none', started, {}, null],
    ];

  it.each(cases)('%s', (_, deployment, transition, command) => {
    expect(commandAfter(transition, deployment, true)).toEqual(command);
  });

  it('of a pause is empty for a deployment that no runtime knows', () => {
    expect(commandAfter({ holds: true }, { ...held, observedGeneration: null }, false)).toBeNull();
  });
});

describe('The step of a pause', () => {
  const steps = (isHeld: boolean, isPaused: boolean) =>
    Object.fromEntries(
      DEPLOYMENT_STATUSES.map((status) => [status, pauseStepOf({ status, isHeld }, isPaused)]),
    );
  const none = Object.fromEntries(DEPLOYMENT_STATUSES.map((status) => [status, null]));
  const each = (actions: Partial<Record<string, DeploymentAction>>) => ({ ...none, ...actions });

  it('holds a deployment that is meant to run', () => {
    expect(steps(false, true)).toEqual(each({ deploying: 'pause', running: 'pause', ready: 'pause_ready' }));
  });

  it('releases a held deployment that is meant to run', () => {
    expect(steps(true, false)).toEqual(each({ deploying: 'resume', running: 'resume', ready: 'resume' }));
  });

  it('changes nothing that agrees with the agent', () => {
    expect(steps(true, true)).toEqual(none);
    expect(steps(false, false)).toEqual(none);
  });
});

describe('The replicas that a runtime is to have', () => {
  it('are 0 while the deployment is held', () => {
    expect(askedReplicasOf({ isHeld: true, replicas: 3 })).toBe(0);
    expect(askedReplicasOf({ isHeld: false, replicas: 3 })).toBe(3);
  });
});
