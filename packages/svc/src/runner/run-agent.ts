import { join } from 'node:path';
import type { Credentials } from '@agent-control-plane/client';
import { agentOfKey } from './agent-identity.js';
import { AgentRuntime, type EventListener } from '@agent-control-plane/client/runtime';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import type { Foreground } from './foreground.js';
import { OtlpRelay } from './otlp/otlp-relay.js';
import { telemetryEnvironment } from './otlp/telemetry-environment.js';
import { type Account, environmentAs } from './processes/account.js';
import { AccountEntry } from './processes/account-entry.js';
import { childEnvironment } from './processes/child-environment.js';
import type { Admission } from './policy/admission.js';
import { ProcessRunner } from './processes/process-runner.js';
import type { ProcessRunnerOptions } from './processes/process-runner-options.js';
import { AgentRuns } from './runs/agent-runs.js';
import { StateLock } from './processes/state-lock.js';
import { pathId } from './path-id.js';
import { makeStateDirectory } from './state-directory.js';
import { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';

const REFUSAL_PATIENCE_MS = 5_000;

/** The agent's key, and possibly a newer one after a refusal. */
export interface AgentKey extends Credentials {
  current(): string;
}

export interface RunAgentOptions {
  readonly baseUrl: string;
  readonly credentials: AgentKey;
  /** The agent of the key, if it is known. */
  readonly agentId: string | undefined;
  /** Parent of each agent's directory, unless `stateDir` is set. */
  readonly stateRoot: string;
  readonly stateDir: string | undefined;
  /** Judges each start. */
  readonly admission: Admission;
  /** Environment that the agent's processes inherit, without the runner's own variables. */
  readonly environment: NodeJS.ProcessEnv;
  /** Account of the agent's processes; undefined: the runner's own. */
  readonly account: Account | undefined;
  readonly metricsIntervalMs: number;
  /** Takes the OpenTelemetry of the agent's processes. */
  readonly relaysTelemetry: boolean;
  readonly version: string;
  readonly onEvent: EventListener;
  /** The command that waits for the program; absent: a process that ends is started again. */
  readonly foreground?: Foreground;
  /** Ends the run: the processes first, each with its grace period. */
  readonly signal: AbortSignal;
  /** Ends the run at once. */
  readonly hurry: AbortSignal;
}

/**
 * Runs an agent's deployments as processes of this machine, until the signal aborts.
 *
 * @throws KeyRefusedError, after the processes have ended; AlreadyRunningError; LockUnavailableError;
 * HiddenProcessesError; ForeignStateError; StateDirectoryError; UnsafeDirectoryError
 */
export async function runAgent(options: RunAgentOptions): Promise<void> {
  const { onEvent, signal } = options;
  for (const file of options.admission.present())
    onEvent({ level: 'info', event: 'policy', message: `The policy ${file} says what may be started` });
  const agentId = pathId(options.agentId ?? (await askWho(options)), 'an agent');
  const directory = options.stateDir ?? join(options.stateRoot, agentId);
  makeStateDirectory(directory);
  const lock = StateLock.acquire(directory);
  try {
    onEvent({
      level: 'info',
      event: 'started',
      message: `Agent ${agentId}${options.account ? `, with processes of ${options.account.name}` : ''}; its state is in ${directory}`,
    });
    const relay = await startRelay(options, directory);
    await work(options, agentId, directory, relay).finally(() => relay?.close());
    onEvent({ level: 'info', event: 'ended', message: signal.aborted ? 'Ended' : 'Ended by itself' });
  } finally {
    lock.release();
  }
}

async function work(
  options: RunAgentOptions,
  agentId: string,
  directory: string,
  relay: OtlpRelay | undefined,
): Promise<void> {
  const { onEvent, signal, hurry } = options;
  let runs!: AgentRuns;
  const tellOfLoss = (message: string) => tellOfLostTelemetry(message, onEvent, runtime);
  const runtime = new AgentRuntime({
    baseUrl: options.baseUrl,
    key: options.credentials,
    stateDir: directory,
    version: options.version,
    software: { name: 'svc run', version: options.version },
    capabilities: ['processes', 'runs'],
    refusalPatienceMs: REFUSAL_PATIENCE_MS,
    apply: (desired) => processes.apply(desired),
    end: () => processes.end(),
    ...(relay && { outbox: (link) => relay.outbox(link, tellOfLoss) }),
    runs: (link, sending) => (runs = new AgentRuns(directory, link, sending, onEvent)),
    onEvent,
  });
  const processes = await ProcessRunner.open(
    {
      directory,
      environmentOf: environmentOf(options, agentId, relay),
      as: options.account && new AccountEntry(options.account, directory),
      metricsIntervalMs: options.metricsIntervalMs,
      admission: options.admission,
      runs,
      news: newsFor(runtime),
      onEvent,
      foreground: options.foreground,
    },
    runtime.runningDeployments,
  );
  const stop = () => {
    onEvent({
      level: 'info',
      event: 'ending',
      message: 'Ending; the processes have their grace period to stop',
    });
    void runtime.stop();
  };
  const stopNow = () => {
    processes.killNow();
    void runtime.stop(0);
  };
  signal.addEventListener('abort', stop);
  hurry.addEventListener('abort', stopNow);
  if (signal.aborted) stop();
  try {
    await runtime.run();
  } finally {
    signal.removeEventListener('abort', stop);
    hurry.removeEventListener('abort', stopNow);
  }
}

/** Passes on to the service what processes say and how they are. */
function newsFor(runtime: AgentRuntime): ProcessRunnerOptions['news'] {
  return {
    log: (entry) => runtime.log(entry),
    metric: (entry) => runtime.metric(entry),
    report: (deploymentId, condition) => runtime.report(deploymentId, condition),
    fail: (deploymentId, reason) => runtime.fail(deploymentId, reason),
    complete: (deploymentId, generation) => runtime.complete(deploymentId, generation),
  };
}

function tellOfLostTelemetry(message: string, onEvent: EventListener, runtime: AgentRuntime): void {
  onEvent({ level: 'warning', event: 'telemetry_lost', message });
  runtime.log({ level: 'warning', message, metadata: { source: 'runner' } });
}

/** Makes the variables of a process. */
function environmentOf(
  { environment, account, credentials }: RunAgentOptions,
  agentId: string,
  relay: OtlpRelay | undefined,
): ProcessRunnerOptions['environmentOf'] {
  const secret = credentials.current();
  const inherited = account ? environmentAs(account, environment) : environment;
  return (configured, own) => {
    const variables = childEnvironment(inherited, secret, configured, { AGENT_ID: agentId, ...own });
    return relay ? telemetryEnvironment(variables, relay.endpoint, own) : variables;
  };
}

/** @returns undefined if it is switched off, or can't listen */
async function startRelay(
  { relaysTelemetry, onEvent }: RunAgentOptions,
  directory: string,
): Promise<OtlpRelay | undefined> {
  if (!relaysTelemetry) return undefined;
  try {
    return await OtlpRelay.listen(join(directory, 'otlp.json'));
  } catch (error) {
    const message = `OpenTelemetry of the processes is not taken: no port of 127.0.0.1 can be listened at (${messageOf(error)})`;
    onEvent({ level: 'warning', event: 'no_otlp', message });
    return undefined;
  }
}

async function askWho({
  baseUrl,
  credentials,
  stateRoot,
  stateDir,
  onEvent,
  signal,
}: RunAgentOptions): Promise<string> {
  const link = new ServiceLink({
    baseUrl,
    key: credentials,
    userAgent: 'svc-run',
    onEvent,
    refusalPatienceMs: REFUSAL_PATIENCE_MS,
  });
  // with a given directory, the home directory may not be writable
  return agentOfKey(credentials.current(), join(stateDir ?? stateRoot, 'keys'), link, signal);
}
