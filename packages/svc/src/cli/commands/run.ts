import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createServiceClient, ServiceError, unwrap } from '@agent-control-plane/client';
import { isCredential } from '@agent-control-plane/client/internal/credentials';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { makePrivateDirectory } from '@agent-control-plane/client/internal/runtime/private-directory';
import { proxiedFetch } from '@agent-control-plane/client/internal/runtime/proxied-fetch';
import { HiddenProcessesError } from '../../runner/processes/leftovers.js';
import { AlreadyRunningError, LockUnavailableError } from '../../runner/processes/state-lock.js';
import { type AgentKey, runAgent } from '../../runner/run-agent.js';
import {
  ForeignStateError,
  KeyRefusedError,
  type RuntimeEvent,
  StateDirectoryError,
} from '@agent-control-plane/client/runtime';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { CommandFailedError, NotLoggedInError, UsageError } from '../failures.js';
import { findAgentId } from '../find-agent.js';
import { filled } from '../option-values.js';
import { printableJson, printableLine } from '../output/printable.js';
import { version } from '../version.js';

const DEFAULT_METRICS_SECONDS = 30;

export interface RunOptions {
  readonly agentId: string | undefined;
  readonly keyFile: string | undefined;
  readonly stateDir: string | undefined;
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
    {
      flags: '--key-file <file>',
      description: "A file that holds the agent's key; read again when it is refused",
    },
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
    metricsSeconds: input.number('metrics-interval') ?? DEFAULT_METRICS_SECONDS,
    relaysTelemetry: input.flag('otlp'),
  }),
  async run(given, context) {
    const agentId = given.agentId && (await findAgentId(context, given.agentId));
    const options = { ...given, agentId };
    const stateRoot = join(dirname(context.config.path), 'run');
    const stateDir = options.stateDir === undefined ? undefined : resolve(options.stateDir);
    try {
      await runAgent({
        baseUrl: context.address.url,
        credentials: await credentialsOf(options, context, stateDir ?? stateRoot),
        agentId: options.agentId,
        stateRoot,
        stateDir,
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

async function credentialsOf(
  { keyFile, agentId, stateDir }: RunOptions,
  context: Context,
  directory: string,
): Promise<AgentKey> {
  const key = context.environment.SERVICE_AGENT_KEY?.trim();
  if (keyFile !== undefined) return keyInFile(keyFile);
  if (key) return { current: () => key };
  if (agentId === undefined)
    throw new UsageError(
      'No agent is named: set SERVICE_AGENT_KEY, or give --key-file, or --agent with the id of one of yours',
    );
  const made = await keyMadeFor(
    agentId,
    context,
    stateDir === undefined ? join(directory, agentId) : directory,
  );
  return { current: () => made };
}

/** A key from a file, which is read again when its key is refused: a rotated key is put there without a restart. */
function keyInFile(file: string): AgentKey {
  const read = () => {
    try {
      // the lines after the first one may be a note of the file's author
      const [line = ''] = readFileSync(file, 'utf8')
        .trim()
        .split(/[\r\n]/, 1);
      const key = line.trimEnd();
      if (isCredential(key)) return key;
      if (key !== '')
        throw new CommandFailedError(
          `The first line of ${file} is not a key: it has characters that no key has`,
        );
    } catch (error) {
      if (error instanceof CommandFailedError) throw error;
      throw new CommandFailedError(
        `${file} can't be read (${(error as NodeJS.ErrnoException).code}): it should hold the agent's key`,
      );
    }
    throw new CommandFailedError(`${file} is empty: it should hold the agent's key`);
  };
  let current = read();
  return {
    current: () => current,
    renew: async () => {
      try {
        return (current = read());
      } catch {
        // the program that replaces the file may not have finished
        return undefined;
      }
    },
  };
}

/** The key of an earlier run, if it is still valid; else a new one, created by the logged-in person. */
async function keyMadeFor(agentId: string, context: Context, directory: string): Promise<string> {
  const file = join(directory, 'key');
  const kept = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (kept !== '' && !(await isRefused(kept, agentId, context))) return kept;
  // without a directory for it, a new key would be created at each start
  makePrivateDirectory(directory);
  const body = { name: `svc run on ${hostname()}`.slice(0, 100), agent_id: agentId };
  const { key } = await unwrap(context.service().POST('/api-keys', { body, signal: context.signal }));
  await replaceFile(file, `${key}\n`);
  return key;
}

/** Returns true only if the service itself refuses the key: during an outage the processes shall run all the same. */
async function isRefused(
  key: string,
  agentId: string,
  { address, environment, signal }: Context,
): Promise<boolean> {
  const service = createServiceClient({
    baseUrl: address.url,
    credentials: key,
    retries: 0,
    timeoutMs: 5_000,
    fetch: proxiedFetch(environment),
  });
  try {
    await service.GET('/agents/{agent_id}/status', { params: { path: { agent_id: agentId } }, signal });
    return false;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.isOfProxy) return false;
    return error.status === 401 || error.status === 403;
  }
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
  if (error instanceof LockUnavailableError || error instanceof HiddenProcessesError)
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
