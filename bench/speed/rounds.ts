import type { SpeedOptions } from './options.js';
import type { Comparison, Contender, Round, Sample, Section, Target } from './section.js';

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface SectionResult {
  readonly section: Section;
  readonly contenders: readonly string[];
  readonly rounds: readonly Round[];
}

const MAXIMUM_WARM_UP_SECONDS = 3;

/**
 * Measures all contenders in turns (A B A B), after each has warmed up: what changes on the machine changes for all.
 *
 * @param isSmall nobody reads the figures, so nothing warms up
 */
export async function takeRounds(
  contenders: readonly Contender[],
  { rounds, seconds, small: isSmall }: SpeedOptions,
): Promise<Round[]> {
  const warming = isSmall ? [] : contenders;
  for (const contender of warming) await contender.measure(Math.min(seconds, MAXIMUM_WARM_UP_SECONDS));
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const samples = new Map<string, Sample>();
    for (const contender of contenders) samples.set(contender.name, await contender.measure(seconds));
    taken.push(samples);
  }
  return taken;
}

/** @returns undefined where no round has the figure */
export function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const sorted = values.filter((value) => value !== undefined && !Number.isNaN(value)).map(Number);
  if (sorted.length === 0) return undefined;
  sorted.sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return {
    median: (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2,
    least: sorted[0]!,
    most: sorted.at(-1)!,
  };
}

/** Compared within each round, because two rounds don't find the same machine. */
export function spreadOfRatios({ valueOf }: Comparison, rounds: readonly Round[]): Spread | undefined {
  return spreadOf(rounds.map(valueOf));
}

export function isReached(target: Target, { median }: Spread): boolean {
  return target.isMinimum ? median >= target.bound : median <= target.bound;
}
