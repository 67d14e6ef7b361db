/** A replica's program and its supervision, from the agent's `config`. All times in milliseconds. */
export interface ProcessConfig {
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly readiness: ReadinessConfig;
  readonly stopGraceMs: number;
  readonly restart: RestartConfig;
  /** How it takes runs: `command` is then started for each run. Undefined: `command` is started for each replica. */
  readonly run: RunConfig | undefined;
}

export interface RunConfig {
  /** Number of runs at a time of each replica. */
  readonly concurrency: number;
  /** Maximum time of a run whose request names none. */
  readonly timeoutMs: number;
}

export type ReadinessConfig =
  | { readonly kind: 'uptime'; readonly afterMs: number }
  | ({ readonly kind: 'command'; readonly command: readonly [string, ...string[]] } & Probing)
  /** Replica number n listens at `port + n`. */
  | ({ readonly kind: 'port'; readonly port: number } & Probing);

export interface Probing {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** Ends of a process after which it is started again; `failed`: any but one with exit code 0. */
export const RESTART_WHEN = ['always', 'failed', 'never'] as const;

export interface RestartConfig {
  readonly when: (typeof RESTART_WHEN)[number];
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** Running time after which an ended replica is restarted like the first time. */
  readonly resetAfterMs: number;
  /** Number of starts in a row without readiness, after which the deployment is given up; 0: never. */
  readonly giveUpAfter: number;
}

/** Maximum grace period: a stop command has five leases, and a longer period would outlast them. */
const LONGEST_GRACE_SECONDS = 120;
const LONGEST_SECONDS = 86_400;
/** Each is a process. */
const MOST_RUNS_OF_A_REPLICA = 100;

/** @throws Error with a sentence that says what to write */
export function readProcessConfig(config: unknown): ProcessConfig {
  if (!isRecord(config)) throw new Error('config must be an object like {"command": ["node", "agent.js"]}');
  const work = workOf(config);
  if (config.cwd !== undefined && typeof config.cwd !== 'string')
    throw new Error('config.cwd must be a valid directory name');
  const restart = objectOf(config.restart, 'restart', [
    'when',
    'first_delay_seconds',
    'longest_delay_seconds',
    'reset_seconds',
    'give_up_after',
  ]);
  const seconds = (value: unknown, name: string, absent: number, most = LONGEST_SECONDS) =>
    numberOf(value, name, absent, 0, most) * 1_000;
  return {
    ...work,
    env: envOf(config.env),
    cwd: config.cwd,
    readiness: readinessOf(config.readiness),
    stopGraceMs: seconds(config.stop_grace_seconds, 'stop_grace_seconds', 10, LONGEST_GRACE_SECONDS),
    restart: {
      when: wordOf(restart.when, 'restart.when', RESTART_WHEN),
      firstDelayMs: seconds(restart.first_delay_seconds, 'restart.first_delay_seconds', 1),
      longestDelayMs: seconds(restart.longest_delay_seconds, 'restart.longest_delay_seconds', 60),
      resetAfterMs: seconds(restart.reset_seconds, 'restart.reset_seconds', 60),
      giveUpAfter: numberOf(restart.give_up_after, 'restart.give_up_after', 5, 0, 1_000_000, true),
    },
  };
}

/** The program, and whether it is started for each replica or for each run. */
function workOf({ command, run }: Record<string, unknown>): Pick<ProcessConfig, 'command' | 'run'> {
  if (command === undefined && run === undefined)
    throw new Error('config has no command: write what to start, like {"command": ["node", "agent.js"]}');
  if (run === undefined) return { command: commandOf(command, 'command'), run };
  if (command !== undefined)
    throw new Error('config must have either command or run, not both: run contains a command');
  const of = objectOf(run, 'run', ['command', 'concurrency', 'timeout_seconds']);
  return {
    command: commandOf(of.command, 'run.command'),
    run: {
      concurrency: numberOf(of.concurrency, 'run.concurrency', 1, 1, MOST_RUNS_OF_A_REPLICA, true),
      timeoutMs: numberOf(of.timeout_seconds, 'run.timeout_seconds', 3_600, 1, LONGEST_SECONDS) * 1_000,
    },
  };
}

function readinessOf(given: unknown): ReadinessConfig {
  const readiness = objectOf(given, 'readiness', [
    'command',
    'port',
    'seconds',
    'interval_seconds',
    'timeout_seconds',
  ]);
  const ways = ['command', 'port', 'seconds'].filter((way) => readiness[way] !== undefined);
  if (ways.length > 1) throw new Error(`config.readiness must have either ${ways.join(' or ')}, not both`);
  const timing = (name: string, absent: number) =>
    numberOf(readiness[name], `readiness.${name}`, absent, 0.01, 3_600) * 1_000;
  const probing = { intervalMs: timing('interval_seconds', 1), timeoutMs: timing('timeout_seconds', 5) };
  if (readiness.command !== undefined)
    return { kind: 'command', command: commandOf(readiness.command, 'readiness.command'), ...probing };
  if (readiness.port !== undefined)
    return {
      kind: 'port',
      port: numberOf(readiness.port, 'readiness.port', 0, 1, 65_535, true),
      ...probing,
    };
  const { seconds } = readiness;
  return { kind: 'uptime', afterMs: numberOf(seconds, 'readiness.seconds', 5, 0, LONGEST_SECONDS) * 1_000 };
}

function commandOf(value: unknown, name: string): [string, ...string[]] {
  const isCommand =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => typeof part === 'string') &&
    value[0] !== '';
  if (!isCommand)
    throw new Error(
      `config.${name} must be a list of strings, the program and its arguments: it is not run in a shell`,
    );
  return value as [string, ...string[]];
}

function envOf(value: unknown): Record<string, string> {
  const env = value === undefined ? {} : value;
  if (!isRecord(env)) throw new Error('config.env must be an object with names and values');
  return Object.fromEntries(
    Object.entries(env).map(([name, it]) => {
      if (name === '' || name.includes('=') || name.includes('\0'))
        throw new Error(`config.env has an invalid name: ${JSON.stringify(name)}`);
      // the value may be a secret, so the message does not repeat it
      const isPlain = ['string', 'number', 'boolean'].includes(typeof it);
      if (!isPlain || String(it).includes('\0'))
        throw new Error(`config.env.${name} must be a string, a number or a boolean`);
      return [name, String(it)];
    }),
  );
}

function objectOf(value: unknown, name: string, known: readonly string[]): Record<string, unknown> {
  const object = value === undefined ? {} : value;
  if (!isRecord(object)) throw new Error(`config.${name} must be an object`);
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new Error(`config.${name} has no "${unknown}"; there are ${known.join(', ')}`);
  return object;
}

/** The first word is the default. */
function wordOf<Word extends string>(value: unknown, name: string, words: readonly [Word, ...Word[]]): Word {
  if (value === undefined) return words[0];
  const word = words.find((it) => it === value);
  if (word === undefined) throw new Error(`config.${name} must be one of ${words.join(', ')}`);
  return word;
}

function numberOf(
  value: unknown,
  name: string,
  absent: number,
  least: number,
  most: number,
  isWhole = false,
): number {
  if (value === undefined) return absent;
  const fits = typeof value === 'number' && value >= least && value <= most;
  if (!fits || (isWhole && !Number.isInteger(value)))
    throw new Error(`config.${name} must be a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
