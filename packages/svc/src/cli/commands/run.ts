import { resolve } from 'node:path';
import { AccountError, findAccount } from '../../runner/processes/account.js';
import { HiddenProcessesError } from '../../runner/processes/leftovers.js';
import { AlreadyRunningError, LockUnavailableError } from '../../runner/processes/state-lock.js';
import { Admission } from '../../runner/policy/admission.js';
import { RefusedStartError } from '../../runner/policy/refused-start.js';
import { runAgent } from '../../runner/run-agent.js';
import { runProgram } from './run/own-program.js';
import type { RunOptions } from './run/run-options.js';
import { runnerOptions } from './run/runner-options.js';
import { makeStateDirectory, UnsafeDirectoryError } from '../../runner/state-directory.js';
import { isDiskFull } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import { ForeignStateError, KeyRefusedError, StateDirectoryError } from '@agent-control-plane/client/runtime';
import { agentKeyOf, keyFileOption } from '../agent-key.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { contextsOf, NO_CONFIG } from '../contexts.js';
import { CommandFailedError, NotLoggedInError, UsageError } from '../failures.js';
import { findAgentId } from '../find-agent.js';
import { descriptor } from '../key-descriptor.js';
import { filled } from '../option-values.js';
import { policyOption } from '../policy-option.js';
import { printEvent } from '../output/runner-event.js';

const DEFAULT_METRICS_SECONDS = 30;

export const command = defineCommand<RunOptions>({
  arguments: [
    {
      name: 'program',
      description: 'a program and its arguments, after --: it runs as an agent until it ends',
      isOptional: true,
      isRepeatable: true,
    },
  ],
  options: [
    {
      flags: '--name <name>',
      description: "with a program: the agent's name (default: that of its script, or else of the folder)",
      parse: filled,
    },
    {
      flags: '--agent <agent>',
      description: 'run this agent (name or id) with a key created for it; needs a login the first time',
      completes: 'agent',
      parse: filled,
    },
    keyFileOption,
    policyOption,
    {
      flags: '--agent-key-fd <number>',
      description: "an open file descriptor with the agent's key; read to its end, and closed",
      parse: descriptor,
    },
    {
      flags: '--user <account>',
      description: 'run the processes as this account of the machine; needs root',
      parse: filled,
    },
    { flags: '--state-dir <directory>', description: 'where to keep state (default: ~/.svc/run/<agent>)' },
    {
      flags: '--metrics-interval <seconds>',
      description: `how often to measure the processes, 1 to 3600 (default: ${DEFAULT_METRICS_SECONDS})`,
      parse: parseSeconds,
    },
    {
      flags: '--no-otlp',
      description: 'do not receive OpenTelemetry from the processes, and leave their variables for it alone',
    },
  ],
  details:
    'Runs an agent: starts the command of its config as one process per replica, keeps it running, and ' +
    "sends its output and what it uses. The agent's key comes from SERVICE_AGENT_KEY, a file or a file " +
    'descriptor, never from the command line. With a program, svc run finds the agent by its name or ' +
    'creates it, saves the program as its config, deploys it, shows its output, and ends with it and its ' +
    'exit code. That needs a login.',
  examples: [
    { command: 'run -- python agent.py', explanation: 'your program as an agent, in one line' },
    { command: 'run --agent 0199f3c2-...', explanation: 'with a key created and kept for it' },
    { command: 'run --key-file /run/secrets/agent-key', explanation: 'on a machine without a login' },
    {
      command: 'run --agent-key-fd 3 3< <(pass show agent-key)',
      explanation: 'with a key in no file and no environment variable',
    },
  ],
  read: (input) => ({
    words: input.optionalArgument<string[]>('program') ?? [],
    name: input.text('name'),
    agentId: input.text('agent'),
    keyFile: input.text('key-file'),
    keyDescriptor: input.number('agent-key-fd'),
    user: input.text('user'),
    stateDir: input.text('state-dir'),
    policyFile: input.text('policy'),
    metricsSeconds: input.number('metrics-interval') ?? DEFAULT_METRICS_SECONDS,
    relaysTelemetry: input.flag('otlp'),
  }),
  async run(given, context) {
    try {
      return await run(given, context);
    } catch (error) {
      if (context.signal.aborted) return given.words.length > 0 ? undefined : 0;
      throw asFailure(error);
    }
  },
});

async function run(options: RunOptions, context: Context): Promise<number | undefined> {
  if (options.keyFile !== undefined && options.keyDescriptor !== undefined)
    throw new UsageError('Give the key by --key-file or by --agent-key-fd, not by both');
  // whatever is not possible is refused before a key is made or asked about
  const account = options.user === undefined ? undefined : findAccount(options.user, context.environment);
  const admission = Admission.of(options.policyFile, account);
  admission.assertAccount();
  if (options.words.length > 0) return runProgram(options, context, admission, account);
  if (options.name !== undefined)
    throw new UsageError('--name is for a program: svc run --name reader -- python agent.py');
  const stateDir = options.stateDir === undefined ? undefined : resolve(options.stateDir);
  if (stateDir !== undefined) makeStateDirectory(stateDir);
  const agentId = options.agentId && (await findAgentId(context, options.agentId));
  const credentials = await agentKeyOf({ ...options, agentId }, context, { stateDir, maker: 'svc run' });
  if (!account) await warnOfLogin(context);
  await runAgent({
    ...runnerOptions(options, context, admission, account),
    credentials,
    agentId,
    stateDir,
    onEvent: (event) => printEvent(event, context),
    signal: context.signal,
    hurry: context.hurry(),
  });
  return 0;
}

/** @throws UsageError */
function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 1 && seconds <= 3_600))
    throw new UsageError('--metrics-interval must be from 1 to 3600 seconds');
  return seconds;
}

/** Tells once that the processes of the agent can read a login, and what keeps it from them. */
async function warnOfLogin(context: Context): Promise<void> {
  // a file that can't be read has no login that could be read
  const config = await context.config.read().catch(() => NO_CONFIG);
  const held = contextsOf(config).filter(({ api_key }) => api_key !== null);
  if (held.length === 0) return;
  const message =
    `The agent's processes run as this account and can read ${context.config.path}, which logs them in as you` +
    ` at ${held.map(({ name }) => name).join(', ')}: start them as another account with --user (as root),` +
    ' or as a service without a login with "svc run install"';
  printEvent({ level: 'warning', event: 'login_readable', message }, context);
}

function asFailure(error: unknown): unknown {
  if (error instanceof KeyRefusedError)
    return new NotLoggedInError(
      `${error.message}; its processes have ended. Get a new key with "svc api-keys create"`,
    );
  if (error instanceof AlreadyRunningError || error instanceof ForeignStateError)
    return new CommandFailedError(`${error.message}; or give another --state-dir`);
  if (error instanceof UnsafeDirectoryError)
    return new CommandFailedError(`${error.message}; or give another --state-dir`);
  if (
    error instanceof LockUnavailableError ||
    error instanceof HiddenProcessesError ||
    error instanceof AccountError ||
    error instanceof RefusedStartError
  )
    return new CommandFailedError(error.message);
  if (error instanceof StateDirectoryError) return unusable(error.directory, error.code);
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (path !== undefined && syscall !== 'spawn') return unusable(path, code);
  return error;
}

function unusable(path: string, code: string | undefined): CommandFailedError {
  const remedy = isDiskFull(code) ? 'its disk is full, free some space' : 'check who owns it';
  return new CommandFailedError(`${path} can't be used (${code}): ${remedy}, or give another --state-dir`);
}
