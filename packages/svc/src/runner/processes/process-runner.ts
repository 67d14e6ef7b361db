import { existsSync } from 'node:fs';
import type { LogEntry, MetricEntry } from '@agent-control-plane/client';
import type { DeploymentCondition, DesiredState, EventListener } from '@agent-control-plane/client/runtime';
import { atExit } from '@agent-control-plane/client/internal/runtime/at-exit';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import { childEnvironment } from './child-environment.js';
import { DeploymentProcesses } from './deployment-processes.js';
import { endStrays, isElsewhere, untilNoneIsHidden } from './leftovers.js';
import { entryOf } from './output-line.js';
import { readProcessConfig } from './process-config.js';
import { type ProcessRecord, ProcessRecords } from './process-records.js';
import { isAlive, pidNamespace } from './process-table.js';
import { ReplicaPorts } from './replica-ports.js';
import type { ReplicaHost } from './replica.js';
import { UsageSampler } from './usage-sampler.js';

/** Receives the events of the processes. */
export interface RunnerEvents {
  log(entry: LogEntry): void;
  metric(entry: MetricEntry): void;
  report(deploymentId: string, condition: DeploymentCondition): void;
  fail(deploymentId: string, reason: string): Promise<void>;
}

export interface ProcessRunnerOptions {
  /** Directory of the records and pipes of processes. */
  readonly directory: string;
  readonly agentId: string;
  /** Environment that children inherit, without the runner's own variables. */
  readonly environment: NodeJS.ProcessEnv;
  /** Removed from any variable of the environment. */
  readonly secret: string;
  readonly metricsIntervalMs: number;
  readonly news: RunnerEvents;
  readonly onEvent: EventListener;
}

/** Runs an agent's deployments as processes of this machine, one for each replica. */
export class ProcessRunner {
  private readonly deployments = new Map<string, DeploymentProcesses>();
  private readonly sampler: UsageSampler;
  private readonly ports = new ReplicaPorts();
  private sampling: NodeJS.Timeout | undefined;
  private isEnding = false;
  private constructor(
    private readonly options: ProcessRunnerOptions,
    private readonly records: ProcessRecords,
    private leftovers: readonly ProcessRecord[],
  ) {
    this.sampler = new UsageSampler(options.metricsIntervalMs);
  }

  /**
   * Finds the processes of an earlier runner that was killed. Those of current deployments will be adopted; all others
   * are ended.
   *
   * @throws HiddenProcessesError
   */
  static async open(options: ProcessRunnerOptions, wanted: readonly string[]): Promise<ProcessRunner> {
    const records = await ProcessRecords.open(options.directory);
    const isUsable = (record: ProcessRecord) =>
      !isElsewhere(record) &&
      wanted.includes(record.deployment_id) &&
      isAlive(record.pid, record.identity) &&
      records.pipesOf(record.replica_id).every((path) => existsSync(path));
    const usable = records.all().filter(isUsable);
    const spared = new Set(usable.map(({ replica_id }) => replica_id));
    await endStrays(records.stateId, spared);
    await untilNoneIsHidden(records);
    for (const { replica_id } of records.all()) if (!spared.has(replica_id)) await records.remove(replica_id);
    const runner = new ProcessRunner(options, records, usable);
    runner.sampleLater();
    return runner;
  }

  /** @returns the note for its result @throws if it can't be started: an invalid configuration, no such program */
  async apply(desired: DesiredState): Promise<unknown> {
    if (this.isEnding) throw new Error('The runner is ending');
    if (desired.phase !== 'running') {
      await this.take(desired.deploymentId).endAll(desired.phase === 'killed' ? 0 : undefined);
      this.deployments.delete(desired.deploymentId);
      return { replicas: 0 };
    }
    // after a mistake in it, the former start must not keep running under its name
    const deployment = this.take(desired.deploymentId);
    try {
      await deployment.bring(desired, readProcessConfig(desired.config));
    } catch (error) {
      this.options.news.log({
        level: 'error',
        message: messageOf(error),
        deployment_id: desired.deploymentId,
        metadata: { source: 'runner' },
      });
      await deployment.endAll();
      throw error;
    }
    // the runner was stopped while the replicas were being started
    if (this.isEnding) await deployment.endAll();
    return { replicas: desired.replicas, pids: deployment.all().flatMap(({ pid }) => pid ?? []) };
  }

  /** Ends all processes, each with its grace period; if this process ends earlier, they are killed with it. */
  async end(graceMs?: number): Promise<void> {
    this.isEnding = true;
    clearTimeout(this.sampling);
    const ended = atExit(() => this.killNow());
    await Promise.all([...this.deployments.values()].map((deployment) => deployment.endAll(graceMs)));
    ended();
  }

  /** Kills all processes without a grace period, also those that are ending. */
  killNow(): void {
    for (const deployment of this.deployments.values()) deployment.killNow();
  }

  private take(deploymentId: string): DeploymentProcesses {
    const known = this.deployments.get(deploymentId);
    if (known) return known;
    const leftovers = this.leftovers.filter(({ deployment_id }) => deployment_id === deploymentId);
    this.leftovers = this.leftovers.filter((record) => !leftovers.includes(record));
    const host = {
      ports: this.ports,
      replicaHost: (deployment: DeploymentProcesses) => this.replicaHostOf(deployment),
      report: (id: string, condition: DeploymentCondition) => this.options.news.report(id, condition),
      giveUp: (id: string, reason: string) => this.giveUp(id, reason),
    };
    const taken = new DeploymentProcesses(deploymentId, host, leftovers);
    this.deployments.set(deploymentId, taken);
    return taken;
  }

  private async giveUp(id: string, reason: string): Promise<void> {
    const { news, onEvent } = this.options;
    onEvent({ level: 'error', event: 'given_up', message: reason, deployment_id: id });
    news.log({ level: 'error', message: reason, deployment_id: id, metadata: { source: 'runner' } });
    await news.fail(id, reason).catch((error: unknown) => this.warn('not_kept', error));
  }

  private warn(event: string, error: unknown): void {
    this.options.onEvent({ level: 'warning', event, message: messageOf(error) });
  }

  private replicaHostOf(deployment: DeploymentProcesses): Omit<ReplicaHost, 'onChange' | 'onRestart'> {
    const { records, options } = this;
    const { id } = deployment;
    const log = (index: number, entry: Pick<LogEntry, 'level' | 'message' | 'metadata' | 'timestamp'>) =>
      options.news.log({ ...entry, deployment_id: id, metadata: { ...entry.metadata, replica: index } });
    return {
      environmentOf: ({ index, port }, replicaId) =>
        childEnvironment(options.environment, options.secret, deployment.config.env, {
          PORT: port?.toString(),
          AGENT_ID: options.agentId,
          DEPLOYMENT_ID: id,
          GENERATION: String(deployment.generation),
          REPLICA_INDEX: String(index),
          REPLICA_ID: replicaId,
          RUNNER_STATE_ID: records.stateId,
        }),
      pipesOf: (replicaId) => records.pipesOf(replicaId),
      keep: ({ index, startGeneration, port }, replica_id, { pid, identity }) =>
        records
          .add({
            replica_id,
            deployment_id: id,
            index,
            start_generation: startGeneration,
            port,
            pid,
            identity,
            pid_namespace: pidNamespace(),
            started_at: Date.now(),
          })
          // it is found by its mark all the same
          .catch((error: unknown) => this.warn('not_kept', error)),
      forget: (replicaId) =>
        void records.remove(replicaId).catch((error: unknown) => this.warn('not_kept', error)),
      onOutput: (index, entry, stream, at) =>
        log(index, { timestamp: new Date(at).toISOString(), ...entryOf(entry, stream) }),
      onEvent: (level, event, message, index) => {
        options.onEvent({ level, event, message, deployment_id: id, replica: index });
        log(index, { level, message: `Replica ${index}: ${message}`, metadata: { source: 'runner', event } });
      },
    };
  }

  private sampleLater(): void {
    this.sampling = setTimeout(() => {
      void this.sample()
        .catch((error: unknown) => this.warn('no_metrics', error))
        .finally(() => this.isEnding || this.sampleLater());
    }, this.options.metricsIntervalMs);
  }

  private async sample(): Promise<void> {
    const running = [...this.deployments.values()].filter((deployment) => deployment.all().length > 0);
    if (running.length === 0) return;
    const pidsOf = (deployment: DeploymentProcesses) => deployment.all().flatMap(({ pid }) => pid ?? []);
    const usages = await this.sampler.sample(new Map(running.map((it) => [it.id, pidsOf(it)])));
    for (const deployment of running) {
      const { cpu, memory, processes } = usages.get(deployment.id)!;
      const replicas = deployment.all();
      const since = Math.min(...replicas.map(({ startedAt }) => startedAt));
      this.options.news.metric({
        deployment_id: deployment.id,
        cpu_usage: cpu,
        memory_usage: memory,
        uptime_seconds: Math.max(0, Math.round((Date.now() - since) / 1_000)),
        custom: {
          replicas: replicas.length,
          ready_replicas: deployment.condition().readyReplicas,
          restarts: replicas.reduce((total, { restarts }) => total + restarts, 0),
          processes,
        },
      });
    }
  }
}
