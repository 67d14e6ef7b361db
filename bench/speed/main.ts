import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../fleet/options.js';
import { peers } from '../peers/peers.js';
import { Bench, FULL_SIZES, SMALL_SIZES } from './bench.js';
import { describeMachine, type Machine } from './machine.js';
import { readSpeedOptions, RESULTS, type SpeedOptions } from './options.js';
import { profileOf } from './profile.js';
import { pageOf, tableOf } from './report.js';
import { type SectionResult, takeRounds } from './rounds.js';
import type { Contender, Section } from './section.js';
import { SECTIONS } from './sections.js';

/** `npm run bench`: how fast the service is, against the limits that the framework and the database set. */
async function main(): Promise<void> {
  const options = readSpeedOptions(
    process.argv.slice(2),
    SECTIONS.map(({ name }) => name),
  );
  const wanted = options.peers
    ? [peers]
    : SECTIONS.filter(({ name }) => options.sections.length === 0 || options.sections.includes(name));
  const interrupted = interruption();
  // A signal that comes while PostgreSQL starts takes effect after that.
  interrupted.catch(() => undefined);
  say('filling the database');
  const bench = await Bench.open(options.small ? SMALL_SIZES : FULL_SIZES, options.profile, interrupted);
  try {
    await Promise.race([run(bench, wanted, options), interrupted]);
  } finally {
    await bench.close();
  }
}

/**
 * Rejects at Ctrl-C or SIGTERM. Without it a run that is interrupted would leave its PostgreSQL running; so would a second
 * signal that nobody handles, and Ctrl-C is two of them: the terminal's, and the one that the parent process passes on.
 */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => reject(new UsageError(`Ended by ${signal}`)));
  });
}

async function run(bench: Bench, wanted: readonly Section[], options: SpeedOptions): Promise<void> {
  const [version] = await bench.database.query<{ server_version: string }>('SHOW server_version');
  const machine = describeMachine(version!.server_version);
  const results: SectionResult[] = [];
  for (const section of wanted) {
    results.push(await measure(bench, section, options));
    process.stdout.write(`${tableOf(results.slice(-1))}\n\n`);
  }
  // A profile is taken of the service in modules, which is slower than the bundle: its figures would be compared with others.
  if (options.results && !options.profile) await write(options.results, options, results, machine);
}

async function measure(bench: Bench, section: Section, options: SpeedOptions): Promise<SectionResult> {
  say(section.name);
  try {
    const contenders = await section.contenders(bench);
    const rounds = await takeRounds(contenders, options);
    if (options.profile) await profile(section, contenders, options);
    return { section, contenders: contenders.map(({ name }) => name), rounds };
  } finally {
    await bench.endSection();
  }
}

async function profile(
  section: Section,
  contenders: readonly Contender[],
  { seconds, results = RESULTS }: SpeedOptions,
): Promise<void> {
  for (const contender of contenders.filter(({ name }) => /(^|: )service$/.test(name))) {
    if (!contender.profiled) continue;
    const name = [section.name, ...contender.name.split(': ').slice(0, -1)].join('-');
    const file = { directory: join(results, 'profiles'), name };
    const shares = await profileOf(contender, contender.profiled, seconds, file);
    process.stdout.write(`Where the time of ${name} goes:\n${shares}\n\n`);
  }
}

/** A page to read, and all samples to compare with; by the sections that were asked for. */
async function write(
  directory: string,
  { peers: isOfPeers, sections, rounds, seconds }: SpeedOptions,
  results: readonly SectionResult[],
  machine: Machine,
): Promise<void> {
  const name = isOfPeers ? peers.name : sections.join('-') || 'all';
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const measured = { at: new Date(), commit, rounds, seconds };
  const samples = results.map((result) => ({
    section: result.section.name,
    rounds: result.rounds.map((round) => Object.fromEntries(round)),
  }));
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, `${name}.md`), pageOf(results, machine, measured));
  await writeFile(
    join(directory, `${name}.json`),
    `${JSON.stringify({ ...measured, machine, samples }, null, 2)}\n`,
  );
  say(`written to ${join(directory, name)}.md and .json`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
process.exit();
