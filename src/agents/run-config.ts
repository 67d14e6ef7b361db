import { type BrokenRule, InvalidError } from '../errors/domain-error.js';
import { isRecord } from '../http/json-record.js';
import type { Source } from '../http/lost-numbers.js';
import { nearestName } from '../http/nearest-name.js';
import { isSecretValue } from './config-secrets.js';

/** Returns the reason why a value is refused, or null for an allowed value. */
type Rule = (value: unknown, name: string) => string | null;

type Keys = Readonly<Record<string, Rule>>;

const LONGEST_SECONDS = 86_400;
/** A stop command is leased five times for 60 seconds: a longer grace would outlast the leases. */
const LONGEST_GRACE_SECONDS = 120;
const MOST_RUNS_OF_A_REPLICA = 100;

const RESTART_WHEN = ['always', 'failed', 'never'];

/** The keys of `svc run`, as in its `process-config.ts`: a test compares the two. */
const KEYS: Keys = {
  command: commandRule,
  env: envRule,
  cwd: (value, name) => (typeof value === 'string' ? null : `${name} must be a valid directory name`),
  readiness: readinessRule,
  stop_grace_seconds: numberRule(0, LONGEST_GRACE_SECONDS),
  restart: objectRule({
    when: wordRule(RESTART_WHEN),
    first_delay_seconds: numberRule(0, LONGEST_SECONDS),
    longest_delay_seconds: numberRule(0, LONGEST_SECONDS),
    reset_seconds: numberRule(0, LONGEST_SECONDS),
    give_up_after: numberRule(0, 1_000_000, true),
  }),
  run: runRule,
};

const RUN: Keys = {
  command: commandRule,
  concurrency: numberRule(1, MOST_RUNS_OF_A_REPLICA, true),
  timeout_seconds: numberRule(1, LONGEST_SECONDS),
};

const READINESS: Keys = {
  command: commandRule,
  port: numberRule(1, 65_535, true),
  seconds: numberRule(0, LONGEST_SECONDS),
  interval_seconds: numberRule(0.01, 3_600),
  timeout_seconds: numberRule(0.01, 3_600),
};

/** Frequent wrong names whose spelling is nearer to another key than to the intended one. */
const OTHER_NAMES: Readonly<Record<string, string>> = { cmd: 'command' };

/**
 * Checks the keys of a config that `svc run` reads. All other keys are free, except those that look like a misspelled
 * key of `svc run`: that mistake would be found only after a deployment, on another machine.
 *
 * @param text a JSON document; anything but an object passes
 * @throws InvalidError with a message for each wrong value and each misspelled key; it contains no value, because that
 * may be a secret
 */
export function assertRunConfig(text: string): void {
  const config: unknown = JSON.parse(text);
  if (!isRecord(config)) return;
  const problems = Object.keys(config).flatMap((key): BrokenRule[] => {
    const message = problemOf(key, config[key]);
    return message === null ? [] : [{ field: `config.${key}`, code: 'invalid_value', message }];
  });
  if (Object.hasOwn(config, 'command') && Object.hasOwn(config, 'run')) {
    const message = 'config must have either command or run, not both: run contains a command';
    problems.push({ field: 'config.run', code: 'invalid_value', message });
  }
  if (isRecord(config.env) && Object.values(config.env).some((value) => typeof value === 'number'))
    problems.push(...changingNumbers(text).map(mustBeText));
  if (problems.length > 0) throw new InvalidError(problems);
}

/**
 * The variables of a config whose number is written otherwise than a program would get it.
 *
 * @throws InvalidError for a document so deep that its numbers can't be read as they were written
 */
function changingNumbers(text: string): string[] {
  const changing: { readonly holder: unknown; readonly name: string }[] = [];
  try {
    const config = JSON.parse(text, function (this: unknown, name, value: unknown, context?: Source) {
      if (typeof value === 'number' && String(value) !== context?.source)
        changing.push({ holder: this, name });
      return value;
    }) as { readonly env: unknown };
    return changing.filter(({ holder }) => holder === config.env).map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw InvalidError.of('config', 'invalid_value', 'config must not be nested thousands of levels deep');
  }
}

/** A variable is text, and a program would get another one than was written: `1.1` for `1.10`. */
function mustBeText(variable: string): BrokenRule {
  const field = `config.env.${variable}`;
  const message = `${field} must be quoted, as a string: a number would be changed, 1.10 to 1.1`;
  return { field, code: 'invalid_value', message };
}

function problemOf(key: string, value: unknown): string | null {
  if (Object.hasOwn(KEYS, key)) return KEYS[key]!(value, `config.${key}`);
  const meant = misspelled(key, Object.keys(KEYS));
  if (meant === null) return null;
  return `config has "${key}", which svc run ignores: did you mean "${meant}"?`;
}

/** The key that was probably intended; null if none is similar. */
function misspelled(key: string, keys: readonly string[]): string | null {
  const given = key.toLowerCase();
  return Object.hasOwn(OTHER_NAMES, given) ? OTHER_NAMES[given]! : nearestName(key, keys);
}

function commandRule(value: unknown, name: string): string | null {
  const isCommand =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => typeof part === 'string') &&
    value[0] !== '';
  return isCommand
    ? null
    : `${name} must be a list of strings, the program and its arguments: it is not run in a shell`;
}

function envRule(value: unknown, name: string): string | null {
  if (!isRecord(value)) return `${name} must be an object with names and values`;
  for (const [variable, content] of Object.entries(value)) {
    if (variable === '' || variable.includes('=') || variable.includes('\0')) {
      return `${name} has an invalid name: ${JSON.stringify(variable)}`;
    }
    const value = isSecretValue(content) ? content.secret : content;
    const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
    if (!isPlain || String(value).includes('\0')) {
      return `${name}.${variable} must be a string, a number or a boolean; {"secret": "..."} makes it write-only`;
    }
  }
  return null;
}

function readinessRule(value: unknown, name: string): string | null {
  const problem = objectRule(READINESS)(value, name);
  if (problem !== null) return problem;
  const ways = ['command', 'port', 'seconds'].filter((way) => Object.hasOwn(value as object, way));
  return ways.length > 1 ? `${name} must have either ${ways.join(' or ')}, not both` : null;
}

function runRule(value: unknown, name: string): string | null {
  const problem = objectRule(RUN)(value, name);
  if (problem !== null) return problem;
  return commandRule((value as Record<string, unknown>).command, `${name}.command`);
}

function objectRule(keys: Keys): Rule {
  return (value, name) => {
    if (!isRecord(value)) return `${name} must be an object`;
    for (const [key, content] of Object.entries(value)) {
      if (!Object.hasOwn(keys, key)) {
        const meant = misspelled(key, Object.keys(keys));
        const hint =
          meant === null
            ? `the allowed keys are ${Object.keys(keys).join(', ')}`
            : `did you mean "${meant}"?`;
        return `${name} has no "${key}": ${hint}`;
      }
      const problem = keys[key]!(content, `${name}.${key}`);
      if (problem !== null) return problem;
    }
    return null;
  };
}

function wordRule(words: readonly string[]): Rule {
  return (value, name) =>
    words.some((word) => word === value) ? null : `${name} must be one of ${words.join(', ')}`;
}

function numberRule(least: number, most: number, isWhole = false): Rule {
  return (value, name) => {
    const fits = typeof value === 'number' && value >= least && value <= most;
    if (fits && (!isWhole || Number.isInteger(value))) return null;
    return `${name} must be a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}`;
  };
}
