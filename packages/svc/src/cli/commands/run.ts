import { resolve } from 'node:path';
import { HiddenProcessesError } from '../../runner/processes/leftovers.js';
import { AlreadyRunningError, LockUnavailableError } from '../../runner/processes/state-lock.js';
import { RefusedStartError } from '../../runner/policy/refused-start.js';
import { runAgent } from '../../runner/run-agent.js';
import {
  ForeignStateError,
  KeyRefusedError,
  type RuntimeEvent,
  StateDirectoryError,
} from '@agent-control-plane/client/runtime';
import { agentKeyOf, keyFileOption, runDirectory } from '../agent-key.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { CommandFailedError, NotLoggedInError, UsageError } from '../failures.js';
import { findAgentId } from '../find-agent.js';
import { filled } from '../option-values.js';
import { policyOption } from '../policy-option.js';
import { printableJson, printableLine } from '../output/printable.js';
import { version } from '../version.js';

const DEFAULT_METRICS_SECONDS = 30;

export interface RunOptions {
  readonly agentId: string | undefined;
  readonly keyFile: string | undefined;
  readonly stateDir: string | undefined;
  readonly policyFile: string | undefined;
  readonly metricsSeconds: number;
  readonly relaysTelemetry: boolean;
}

export const command = defineCommand<RunOptions>({
  options: [
    {
      flags: '--agent <agent>',
      description:
        'Run this agent (name or id) with a key that is made for it; needs a login, the first time',
      completes: 'agent',
      parse: filled,
    },
    keyFileOption,
    policyOption,
    { flags: '--state-dir <directory>', description: 'Where to keep state (default: ~/.svc/run/<agent>)' },
    {
      flags: '--metrics-interval <seconds>',
      description: `How often to measure the processes, 1 to 3600 (default: ${DEFAULT_METRICS_SECONDS})`,
      parse: parseSeconds,
    },
    {
      flags: '--no-otlp',
      description: 'Take no OpenTelemetry from the processes, and leave their variables for it alone',
    },
  ],
  details:
    "Runs an agent: starts the command of its config as a process for each replica, keeps it running, and sends its output and what it uses. The agent's key comes from SERVICE_AGENT_KEY or a file, never from the command line.",
  examples: [
    { command: 'run --agent 0199f3c2-...', explanation: 'with a key that is made and kept for it' },
    { command: 'run --key-file /run/secrets/agent-key', explanation: 'on a machine where nobody logs in' },
  ],
  read: (input) => ({
    agentId: input.text('agent'),
    keyFile: input.text('key-file'),
    stateDir: input.text('state-dir'),
    policyFile: input.text('policy'),
    metricsSeconds: input.number('metrics-interval') ?? DEFAULT_METRICS_SECONDS,
    relaysTelemetry: input.flag('otlp'),
  }),
  async run(given, context) {
    const agentId = given.agentId && (await findAgentId(context, given.agentId));
    const options = { ...given, agentId };
    const stateDir = options.stateDir === undefined ? undefined : resolve(options.stateDir);
    try {
      await runAgent({
        baseUrl: context.address.url,
        credentials: await agentKeyOf(options, context, { stateDir, maker: 'svc run' }),
        agentId: options.agentId,
        stateRoot: runDirectory(context),
        stateDir,
        policyFile: options.policyFile,
        environment: context.environment,
        metricsIntervalMs: options.metricsSeconds * 1_000,
        relaysTelemetry: options.relaysTelemetry,
        version,
        onEvent: (event) => print(event, context),
        signal: context.signal,
        hurry: context.hurry(),
      });
      return 0;
    } catch (error) {
      if (context.signal.aborted) return 0;
      throw asFailure(error);
    }
  },
});

/** @throws UsageError */
function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 1 && seconds <= 3_600))
    throw new UsageError('--metrics-interval must be from 1 to 3600 seconds');
  return seconds;
}

/** Prints an event: a short line for a person, JSON otherwise. */
function print(event: RuntimeEvent, { terminal, output, now }: Context): void {
  const { level, message, deployment_id: deploymentId, replica } = event;
  if (output === 'json' || terminal.width === undefined) {
    terminal.print(printableJson({ time: now().toISOString(), ...event }));
    return;
  }
  const { colors } = terminal;
  const color = level === 'error' ? colors.red : level === 'warning' ? colors.yellow : (text: string) => text;
  const what = [deploymentId?.slice(-6), replica === undefined ? undefined : `replica ${replica}`]
    .filter((part) => part !== undefined)
    .join(' ');
  const time = colors.dim(now().toTimeString().slice(0, 8));
  terminal.print(`${time} ${what === '' ? '' : `${colors.cyan(what)} `}${color(printableLine(message))}`);
}

function asFailure(error: unknown): unknown {
  if (error instanceof KeyRefusedError)
    return new NotLoggedInError(
      `${error.message}; its processes have ended. Get a new key with "svc api-keys create"`,
    );
  if (error instanceof AlreadyRunningError || error instanceof ForeignStateError)
    return new CommandFailedError(`${error.message}; or give another --state-dir`);
  if (
    error instanceof LockUnavailableError ||
    error instanceof HiddenProcessesError ||
    error instanceof RefusedStartError
  )
    return new CommandFailedError(error.message);
  if (error instanceof StateDirectoryError) return unusable(error.directory, error.code);
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (path !== undefined && syscall !== 'spawn') return unusable(path, code);
  return error;
}

function unusable(path: string, code: string | undefined): CommandFailedError {
  return new CommandFailedError(
    `${path} can't be used (${code}): check who owns it, or give another --state-dir`,
  );
}
