import type { QuietAgent } from '../agents/agent.types.js';
import { judgeSilence } from './mass-silence.js';

/** Agents that are judged by 30 seconds, silent for as long as given here. */
const quiet = (...seconds: number[]): QuietAgent[] =>
  seconds.map((silentSeconds, index) => ({
    agentId: `a${index}`,
    silentSeconds,
    assignedIntervalSeconds: 30,
    isOverdue: silentSeconds > 120,
  }));
const times = (count: number, seconds: number) => Array.from({ length: count }, () => seconds);
const judge = (fleet: number, ...seconds: number[]) => {
  const { lost, heldBack } = judgeSilence({ fleet, quiet: quiet(...seconds) });
  return { lost: lost.length, heldBack: heldBack.length };
};

describe('judgeSilence', () => {
  it.each([
    [9, 9, false],
    [10, 5, false],
    [10, 6, true],
    [1_000, 500, false],
    [1_000, 501, true],
  ])('of a fleet of %i with %i silent agents at once holds back their loss: %s', (fleet, silent, held) => {
    expect(judge(fleet, ...times(silent, 125))).toEqual(
      held ? { lost: 0, heldBack: silent } : { lost: silent, heldBack: 0 },
    );
  });

  it('returns no agent when none is silent', () => {
    expect(judge(0)).toEqual({ lost: 0, heldBack: 0 });
  });

  it('counts an agent as silent from one interval before its timeout', () => {
    expect(judge(10, 121, ...times(9, 95))).toEqual({ lost: 0, heldBack: 1 });
    expect(judge(10, 121, ...times(5, 95))).toEqual({ lost: 0, heldBack: 1 });
    expect(judge(10, 121, ...times(4, 95))).toEqual({ lost: 1, heldBack: 0 });
  });

  it('does not hold back an agent that fell silent at another time than the others', () => {
    expect(judge(20, ...times(15, 1_000), 121)).toEqual({ lost: 1, heldBack: 15 });
    // spread over the day, as people switch off what they don't need
    expect(judge(20, ...Array.from({ length: 15 }, (_, index) => 130 + index * 61))).toEqual({
      lost: 15,
      heldBack: 0,
    });
  });

  it('declares agents lost after an hour of silence, for any number', () => {
    expect(judge(10, ...times(10, 3_599))).toEqual({ lost: 0, heldBack: 10 });
    expect(judge(10, ...times(10, 3_600))).toEqual({ lost: 10, heldBack: 0 });
  });
});
