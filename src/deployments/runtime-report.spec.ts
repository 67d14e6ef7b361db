import { actionsOf, readyReplicasOf } from './runtime-report.js';
import type { RuntimeReport } from './runtime-report.types.js';

const deployment = {
  status: 'running' as const,
  isHeld: false,
  replicas: 2,
  generation: 4,
  startGeneration: 3,
};

describe("A runtime's report", () => {
  const cases: [string, RuntimeReport, string[]][] = [
    ['says nothing', {}, []],
    ['running', { status: 'running' }, ['run', 'recover']],
    ['ready means all of them', { status: 'ready' }, ['recover', 'become_ready']],
    ['all of them, by count', { readyReplicas: 2 }, ['recover', 'become_ready']],
    ['more than asked for', { readyReplicas: 5 }, ['recover', 'become_ready']],
    ['some of them', { status: 'running', readyReplicas: 1 }, ['run', 'recover', 'degrade']],
    ['the count wins over the word', { status: 'ready', readyReplicas: 1 }, ['run', 'recover', 'degrade']],
    ['fewer, without a word', { readyReplicas: 0 }, ['degrade']],
    ['failed wins over everything', { status: 'failed', readyReplicas: 2 }, ['fail']],
    ['of an earlier start', { status: 'running', observedGeneration: 2 }, []],
    ['of a generation that nobody has asked for', { status: 'ready', observedGeneration: 5 }, []],
    ['of this start', { status: 'running', observedGeneration: 3 }, ['run', 'recover']],
    ['what only a person can ask for', { status: 'killed' }, []],
    ['completed', { status: 'completed' }, ['recover', 'complete']],
    ['completed, with a count', { status: 'completed', readyReplicas: 0 }, ['recover', 'complete']],
    [
      'completed, of this generation',
      { status: 'completed', observedGeneration: 4 },
      ['recover', 'complete'],
    ],
    ['completed before the last scale', { status: 'completed', observedGeneration: 3 }, []],
  ];

  it.each(cases)('causes the right actions: %s', (_, report, actions) => {
    expect(actionsOf(report, deployment)).toEqual(actions);
  });

  it('is ready without replicas when the wanted number is 0', () => {
    expect(actionsOf({ readyReplicas: 0 }, { ...deployment, replicas: 0 })).toEqual([
      'recover',
      'become_ready',
    ]);
  });

  it.each<[string, RuntimeReport, string[]]>([
    ['no replica is', { status: 'ready', readyReplicas: 0 }, ['run', 'recover']],
    ['all are, because it was late', { status: 'ready', readyReplicas: 2 }, ['run', 'recover']],
    ['some are', { status: 'running', readyReplicas: 1 }, ['run', 'recover']],
    ['it has failed', { status: 'failed' }, ['fail']],
    ['it has completed', { status: 'completed' }, []],
    ['nothing', {}, []],
  ])('makes nothing ready or degraded during a pause, when it says that %s', (_, report, actions) => {
    expect(actionsOf(report, { ...deployment, isHeld: true })).toEqual(actions);
  });

  it('counts at most the wanted number of replicas', () => {
    const three = { replicas: 3, isHeld: false };
    expect(readyReplicasOf({ status: 'ready', readyReplicas: 7 }, three)).toBe(3);
    expect(readyReplicasOf({ readyReplicas: 2 }, three)).toBe(2);
    expect(readyReplicasOf({}, three)).toBeUndefined();
  });

  it('counts running replicas during a pause, in which a report without a count means none', () => {
    const held = { replicas: 3, isHeld: true };
    expect(readyReplicasOf({ status: 'ready', readyReplicas: 2 }, held)).toBe(2);
    expect(readyReplicasOf({ status: 'ready' }, held)).toBe(0);
  });
});
