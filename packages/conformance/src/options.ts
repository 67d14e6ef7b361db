import { parseArgs } from 'node:util';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/all-scenarios.js';

export const USAGE = `npm run conformance -- [options] [-- command that starts the agent]

Plays the service's side of the runtime protocol to an agent and says what the agent did wrong. The command finds the
address in SERVICE_API_URL and the key in SERVICE_AGENT_KEY; it is started anew for each scenario. Without a command
the address and the key are printed, and the agent is started by hand. The first word that is no option begins the
command: all that follows is the agent's.

  --scenario NAME   only this one; may be repeated
  --port N          listen there; scenarios then follow one another (default: a free port for each)
  --jobs N          scenarios at a time (default 8; 1 with --port or without a command)
  --patience N      seconds to wait for what has to happen (default 20)
  --strict          what only should hold counts as failed, too
  --allow-unjudged  what could not be judged is no failure
  --json            the outcome as JSON
  --junit FILE      writes the outcome there, as JUnit's XML
  --list            the scenarios and the checks
  --help

Ends with 0 when everything that must hold does, with 1 when something does not or could not be judged, with 2 for
wrong usage.
`;

/** The command line is wrong; the message says how. */
export class UsageError extends Error {}

export interface Options {
  readonly scenarios: readonly Scenario[];
  readonly command: readonly string[] | undefined;
  readonly port: number;
  readonly jobs: number;
  readonly patienceMs: number;
  readonly isStrict: boolean;
  readonly allowsUnjudged: boolean;
  readonly isJson: boolean;
  /** Path of the file for JUnit's XML. */
  readonly junit: string | undefined;
  readonly wants: 'run' | 'list' | 'help';
}

/** @throws UsageError */
export function readOptions(args: readonly string[]): Options {
  const { values, command } = parsed(args);
  const named = values.scenario ?? [];
  const unknown = named.find((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no scenario ${unknown}; --list names them`);
  const port = wholeNumber('port', values.port, 0, 65_535) ?? 0;
  const isSerial = port !== 0 || command.length === 0;
  const jobs = wholeNumber('jobs', values.jobs, 1, 64) ?? (isSerial ? 1 : 8);
  if (isSerial && jobs > 1) throw new UsageError('--jobs needs a command and no --port');
  return {
    scenarios: named.length === 0 ? SCENARIOS : SCENARIOS.filter(({ name }) => named.includes(name)),
    command: command.length === 0 ? undefined : command,
    port,
    jobs,
    patienceMs: (wholeNumber('patience', values.patience, 1, 3_600) ?? 20) * 1_000,
    isStrict: values.strict ?? false,
    allowsUnjudged: values['allow-unjudged'] ?? false,
    isJson: values.json ?? false,
    junit: values.junit,
    wants: values.help ? 'help' : values.list ? 'list' : 'run',
  };
}

const OPTIONS = {
  scenario: { type: 'string', multiple: true },
  port: { type: 'string' },
  jobs: { type: 'string' },
  patience: { type: 'string' },
  strict: { type: 'boolean' },
  'allow-unjudged': { type: 'boolean' },
  json: { type: 'boolean' },
  junit: { type: 'string' },
  list: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** `npm run` removes a `--`, so the command may begin without one as well. */
function parsed(args: readonly string[]) {
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true, options: OPTIONS });
  const end = tokens.find(({ kind }) => kind === 'positional' || kind === 'option-terminator');
  const own = args.slice(0, end?.index);
  const command = end ? args.slice(end.kind === 'positional' ? end.index : end.index + 1) : [];
  try {
    return { values: parseArgs({ args: own, options: OPTIONS }).values, command };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function wholeNumber(
  name: string,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    throw new UsageError(`--${name} must be a whole number from ${least} to ${most}`);
  }
  return number;
}
