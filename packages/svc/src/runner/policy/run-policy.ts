import { readYaml } from '../../yaml/yaml-value.js';
import { isPattern, patternFault } from './path-pattern.js';

/** Programs that may be started: one with its first arguments, or all whose paths match. */
export type CommandRule =
  | { readonly kind: 'arguments'; readonly command: readonly [program: string, ...first: string[]] }
  | { readonly kind: 'paths'; readonly pattern: string };

/** Rules of a machine's owner about what `svc run` may start. A rule that is absent allows everything. */
export interface RunPolicy {
  readonly commands?: readonly CommandRule[];
  /** Names, possibly with `*`, that a config's `env` may set. */
  readonly environment?: readonly string[];
  /** Directories; a config's `cwd` must be one of them, or below one. */
  readonly directories?: readonly string[];
  /** Accounts, by name or number, under which processes may run. */
  readonly users?: readonly string[];
  readonly max_replicas?: number;
  readonly max_concurrency?: number;
  /** SHA-256 of the canonical JSON of each allowed config, in hexadecimal. */
  readonly configs?: readonly string[];
}

type Reader = (value: unknown, place: string) => unknown;

const READERS: Readonly<Record<keyof RunPolicy, Reader>> = {
  commands: listOf(commandRule),
  environment: listOf(text),
  directories: listOf(directory),
  users: listOf((value, place) => (isWhole(value) ? String(value) : text(value, place))),
  max_replicas: count,
  max_concurrency: count,
  configs: listOf((value, place) => {
    if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
    throw new Error(`${place} must be a hash of 64 digits, as "svc policy hash" prints it`);
  }),
};

/** @throws Error with a sentence that says what to write */
export function parseRunPolicy(yaml: string): RunPolicy {
  const value = readYaml(yaml);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`The file must have rules: ${Object.keys(READERS).join(', ')}`);
  const rules = Object.entries(value);
  const unknown = rules.find(([name]) => !Object.hasOwn(READERS, name));
  if (unknown)
    throw new Error(
      `The file has ${JSON.stringify(unknown[0])}: there are ${Object.keys(READERS).join(', ')}`,
    );
  return Object.fromEntries(
    rules.map(([name, rule]) => [name, READERS[name as keyof RunPolicy](rule, name)]),
  );
}

function listOf(read: Reader): Reader {
  return (value, place) => {
    if (!Array.isArray(value)) throw new Error(`${place} must be a list`);
    return value.map((it, index) => read(it, `${place}[${index}]`));
  };
}

function commandRule(value: unknown, place: string): CommandRule {
  if (!Array.isArray(value)) {
    const pattern = text(value, place);
    assertPath(pattern, place);
    return isPattern(pattern) ? { kind: 'paths', pattern } : { kind: 'arguments', command: [pattern] };
  }
  const [program, ...first] = value.map((it, index) => text(it, `${place}[${index}]`, index > 0));
  if (program === undefined) throw new Error(`${place} must name a program`);
  assertPath(program, `${place}[0]`);
  if (isPattern(program))
    throw new Error(`${place}[0] must be one program: a path with * is written without a list`);
  return { kind: 'arguments', command: [program, ...first] };
}

function directory(value: unknown, place: string): string {
  const path = text(value, place);
  if (path !== '/') assertPath(path, place);
  if (isPattern(path))
    throw new Error(`${place} must have no *: what is below a directory is allowed as well`);
  return path;
}

function assertPath(path: string, place: string): void {
  const fault = patternFault(path);
  if (fault !== undefined) throw new Error(`${place} ${fault}`);
}

function text(value: unknown, place: string, isEmptyAllowed = false): string {
  if (typeof value === 'string' && (value !== '' || isEmptyAllowed)) return value;
  throw new Error(`${place} must be text: write it in quotes`);
}

function count(value: unknown, place: string): number {
  if (isWhole(value)) return value;
  throw new Error(`${place} must be a whole number from 0 on`);
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
