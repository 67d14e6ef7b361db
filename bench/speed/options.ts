import { parseArgs } from 'node:util';
import { UsageError } from '../fleet/options.js';

/** Folder for results, relative to the project's. */
export const RESULTS = 'bench/results';

export interface SpeedOptions {
  /** Names of sections; empty: all. */
  readonly sections: readonly string[];
  readonly rounds: number;
  /** Duration of one measurement. */
  readonly seconds: number;
  /** A fraction of the rows and requests, to check that the bench works. */
  readonly small: boolean;
  /** Compare with other products, and measure nothing else. */
  readonly peers: boolean;
  /** Write a CPU profile of the service for each section. */
  readonly profile: boolean;
  /** Folder for profiles; none are written when absent. */
  readonly results: string | undefined;
}

const usage = (sections: readonly string[]) => `Usage: npm run bench -- [options] [section ...]

  sections: ${sections.join(', ')}

  --rounds N      measurements of each program (3)
  --seconds N     of each measurement (8)
  --small         few rows and requests, and nothing is written: to see that it works
  --peers         only compare with Parse Server, Unleash and Directus, which are installed from the registry
  --profile       also write a CPU profile of the service for each section, and say where its time goes
  --results DIR   where to write (${RESULTS})`;

/** @throws UsageError */
export function readSpeedOptions(args: string[], sections: readonly string[]): SpeedOptions {
  const { values, positionals } = parsed(args, sections);
  if (values.help) throw new UsageError(usage(sections));
  const unknown = positionals.find((name) => !sections.includes(name));
  if (unknown) throw new UsageError(`There is no section ${unknown}\n\n${usage(sections)}`);
  if (values.peers && positionals.length > 0) {
    throw new UsageError(`--peers takes no section\n\n${usage(sections)}`);
  }
  return {
    sections: positionals,
    rounds: between('rounds', values.rounds, 1, 100),
    seconds: between('seconds', values.seconds, 0.1, 600),
    small: values.small,
    peers: values.peers,
    profile: values.profile,
    results: values.results ?? (values.small ? undefined : RESULTS),
  };
}

function parsed(args: string[], sections: readonly string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '8' },
        small: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        results: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage(sections)}`);
  }
}

function between(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (!(value >= minimum && value <= maximum)) {
    throw new UsageError(`--${name} is a number from ${minimum} to ${maximum}`);
  }
  return value;
}
