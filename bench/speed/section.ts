import type { Bench } from './bench.js';
import type { Program } from './program.js';

/** Result of one measurement of one program; figures that it does not take are absent. */
export interface Sample {
  /** Requests that were answered as they should be, or whatever the section counts. */
  readonly perSecond?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** CPU of the measured process, for one request. */
  readonly cpuMs?: number;
  /** CPU of all processes of PostgreSQL, for one request. */
  readonly databaseMs?: number;
  /** Heap memory that V8 allocated for one request; bytes. */
  readonly allocatedBytes?: number;
  /** Resident memory of the measured process at the end; bytes. */
  readonly memoryBytes?: number;
  /** Resident memory that each request holds while it waits; bytes. */
  readonly heldBytes?: number;
  /** Longest turn of the event loop. */
  readonly longestTurnMs?: number;
  /** Reason why there are no figures. */
  readonly failure?: string;
}

/** Names of the figures of a sample. */
export type Figure = Exclude<keyof Sample, 'failure'>;

/** A program or variant that is measured in turns with others. */
export interface Contender {
  readonly name: string;
  measure(seconds: number): Promise<Sample>;
  /** Program to profile, if there is one. */
  readonly profiled?: Program;
}

/** Samples of one round, by contender. */
export type Round = ReadonlyMap<string, Sample>;

export interface Comparison {
  /** Contender in whose line of the table the comparison is printed. */
  readonly line: string;
  /** Name of the comparison in the table. */
  readonly label: string;
  readonly valueOf: (round: Round) => number;
}

export interface Target extends Comparison {
  readonly bound: number;
  /** True if the bound is a minimum, false if it is a maximum. */
  readonly isMinimum: boolean;
}

/** A section of the bench: its requests, its contenders and its targets. */
export interface Section {
  readonly name: string;
  readonly asks: string;
  /** Contenders, the service first. Programs that they start end with the section. */
  readonly contenders: (bench: Bench) => Promise<readonly Contender[]>;
  readonly targets: readonly Target[];
  /** Ratios that are printed without a target. */
  readonly comparisons?: readonly Comparison[];
}

/** `of` reaches at least this share of what `against` reaches. */
export function atLeast(bound: number, of: string, against: string, figure: Figure = 'perSecond'): Target {
  return { ...ratio(of, against, figure), bound, isMinimum: true };
}

/** `of` takes at most so many times what `against` takes. */
export function atMost(bound: number, of: string, against: string, figure: Figure, label: string): Target {
  return { ...ratio(of, against, figure), label, bound, isMinimum: false };
}

/** `of` has at most this much of the figure, in units of `unit`. */
export function below(bound: number, of: string, figure: Figure, label: string, unit = 1): Target {
  return {
    line: of,
    label,
    valueOf: (round) => (round.get(of)?.[figure] ?? NaN) / unit,
    bound,
    isMinimum: false,
  };
}

/** `of` takes at most `bound` more than `against` takes, or than `times` that. */
export function atMostMore(
  bound: number,
  of: string,
  against: string,
  figure: 'p50Ms' | 'p99Ms',
  times = 1,
): Target {
  return {
    line: against,
    label: `${figure.slice(0, 3)} of ${of} - ${times === 1 ? '' : `${times} x `}this, ms`,
    valueOf: (round) => (round.get(of)?.[figure] ?? NaN) - times * (round.get(against)?.[figure] ?? NaN),
    bound,
    isMinimum: false,
  };
}

/** `of` as a multiple of `against`. */
export function compared(of: string, against: string): Comparison {
  return ratio(of, against, 'perSecond');
}

/** `of` reaches at least so many times what the best of `others` reaches; those without a figure don't count. */
export function atLeastOfBest(bound: number, of: string, others: readonly string[]): Target {
  return {
    line: of,
    label: 'this / best peer',
    valueOf: (round) => {
      const reached = others.flatMap((name) => round.get(name)?.perSecond ?? []);
      return reached.length === 0 ? NaN : (round.get(of)?.perSecond ?? NaN) / Math.max(...reached);
    },
    bound,
    isMinimum: true,
  };
}

function ratio(of: string, against: string, figure: Figure): Comparison {
  return {
    line: against,
    label: `${of} / this`,
    valueOf: (round: Round) => (round.get(of)?.[figure] ?? NaN) / (round.get(against)?.[figure] ?? NaN),
  };
}
