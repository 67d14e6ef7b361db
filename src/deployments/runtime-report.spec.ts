import { actionsOf } from './runtime-report.js';
import type { RuntimeReport } from './runtime-report.types.js';

const deployment = { status: 'running' as const, replicas: 2, startGeneration: 3 };

describe('What a report amounts to', () => {
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
    ['of this start', { status: 'running', observedGeneration: 3 }, ['run', 'recover']],
    ['what only a person can ask for', { status: 'killed' }, []],
  ];

  it.each(cases)('%s', (_, report, actions) => {
    expect(actionsOf(report, deployment)).toEqual(actions);
  });

  it('of no replicas wanted, none is all', () => {
    expect(actionsOf({ readyReplicas: 0 }, { ...deployment, replicas: 0 })).toEqual([
      'recover',
      'become_ready',
    ]);
  });
});
