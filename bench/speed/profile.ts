import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Program } from './program.js';
import type { Contender } from './section.js';

/** Result of `Profiler.stop`; times in microseconds. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Functions of the profiler itself, which are no work of the program. */
const NOT_WORK = new Set(['(idle)', 'node:inspector', 'node:inspector/promises']);
const LINES = 20;
const LEAST_SHARE = 0.005;

/**
 * Measures the contender once more, with the profiler on, and says where its time went. The profiler is switched on in
 * the process under load, and not for its whole life (`node --cpu-prof`): the start would be the larger part of it.
 *
 * @param file without its ending; what is written opens in Chrome's developer tools
 * @returns lines of text: modules by their share of the time in which the process was not idle
 */
export async function profileOf(
  contender: Contender,
  program: Program,
  seconds: number,
  file: { readonly directory: string; readonly name: string },
): Promise<string> {
  await mkdir(file.directory, { recursive: true });
  const path = join(file.directory, `${file.name}.cpuprofile`);
  await program.startProfile();
  await contender.measure(seconds);
  await program.writeProfile(path);
  return describeProfile(path);
}

/**
 * @param path of a CPU profile
 * @returns lines of text: modules by their share of the time in which the process was not idle
 */
export async function describeProfile(path: string): Promise<string> {
  const shares = sharesOf(JSON.parse(await readFile(path, 'utf8')) as CpuProfile);
  return shares.map(([name, share]) => `${(share * 100).toFixed(1).padStart(6)} %  ${name}`).join('\n');
}

/** The time that each module itself took, without what it called. */
function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): [string, number][] {
  const moduleOf = new Map(nodes.map(({ id, callFrame }) => [id, moduleName(callFrame)]));
  const times = new Map<string, number>();
  samples.forEach((node, index) => {
    const name = moduleOf.get(node)!;
    if (!NOT_WORK.has(name)) times.set(name, (times.get(name) ?? 0) + timeDeltas[index]!);
  });
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .map(([name, time]): [string, number] => [name, time / total])
    .filter(([, share]) => share >= LEAST_SHARE)
    .sort(([, one], [, other]) => other - one)
    .slice(0, LINES);
}

/**
 * A package, a file of `src`, a module of Node, a built-in function, or what V8 calls its own work: `(garbage
 * collector)`, `(program)`.
 */
function moduleName({ url, functionName }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName.startsWith('(') ? functionName : `built-in ${functionName}`;
  const ofPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (ofPackage) return ofPackage;
  if (url.startsWith('node:')) return url;
  return /\/dist\/(.+)\.js$/.exec(url)?.[1] ?? url;
}
