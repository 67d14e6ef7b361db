import { planReplicas } from './replica-plan.js';

const present = (...replicas: [index: number, startGeneration: number][]) =>
  replicas.map(([index, startGeneration]) => ({ index, startGeneration }));

describe('The plan for replicas', () => {
  it.each([
    ['a first start', [2, 1], [], { end: [], start: [0, 1] }],
    [
      'nothing',
      [2, 1],
      [
        [0, 1],
        [1, 1],
      ],
      { end: [], start: [] },
    ],
    [
      'more',
      [4, 1],
      [
        [0, 1],
        [1, 1],
      ],
      { end: [], start: [2, 3] },
    ],
    [
      'fewer, the highest first',
      [1, 1],
      [
        [0, 1],
        [1, 1],
        [2, 1],
      ],
      { end: [2, 1], start: [] },
    ],
    [
      'none',
      [0, 1],
      [
        [1, 1],
        [0, 1],
      ],
      { end: [1, 0], start: [] },
    ],
    [
      'a restart replaces all',
      [2, 3],
      [
        [0, 1],
        [1, 1],
      ],
      { end: [1, 0], start: [0, 1] },
    ],
    [
      'one that was replaced already stays',
      [2, 3],
      [
        [0, 3],
        [1, 1],
      ],
      { end: [1], start: [1] },
    ],
    [
      'a gap is filled',
      [3, 1],
      [
        [0, 1],
        [2, 1],
      ],
      { end: [], start: [1] },
    ],
  ] as [string, [number, number], [number, number][], unknown][])(
    '%s',
    (_, [replicas, startGeneration], there, plan) => {
      expect(planReplicas({ replicas, startGeneration, rolling: false }, present(...there))).toEqual(plan);
    },
  );

  it('keeps older replicas for a rolling restart, fills gaps, and ends surplus ones', () => {
    const wanted = { replicas: 3, startGeneration: 3, rolling: true };
    expect(planReplicas(wanted, present([0, 1], [2, 3], [3, 1]))).toEqual({ end: [3], start: [1] });
  });
});
