import { existsSync } from 'node:fs';
import type { DeploymentCondition, DesiredState } from '@agent-control-plane/client/runtime';
import { atExit } from '@agent-control-plane/client/internal/runtime/at-exit';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import { DeploymentRuns, type DeploymentRunsHost } from '../runs/deployment-runs.js';
import { type DeploymentHost, DeploymentProcesses } from './deployment-processes.js';
import type { DeploymentWork } from './deployment-work.js';
import { endStrays, isElsewhere, untilNoneIsHidden } from './leftovers.js';
import { entryOf, type OutputEntry } from './output-line.js';
import { type ProcessConfig, readProcessConfig } from './process-config.js';
import { type Leftover, type ProcessRecord, ProcessRecords } from './process-records.js';
import { isAlive, pidNamespace } from './process-table.js';
import type { ProcessRunnerOptions } from './process-runner-options.js';
import { ReplicaPorts } from './replica-ports.js';
import { UsageReports } from './usage-reports.js';

/** Runs an agent's deployments as processes of this machine, one for each replica or for each run. */
export class ProcessRunner {
  private readonly deployments = new Map<string, DeploymentWork>();
  private readonly usage: UsageReports;
  private readonly ports = new ReplicaPorts();
  private isEnding = false;
  private constructor(
    private readonly options: ProcessRunnerOptions,
    private readonly records: ProcessRecords,
    private leftovers: readonly Leftover[],
  ) {
    this.usage = new UsageReports(this.deployments, options);
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
    await options.runs.open(wanted, new Set(records.all().map(({ replica_id }) => replica_id)), spared);
    const isKept = ({ deployment_id }: ProcessRecord) => wanted.includes(deployment_id);
    for (const record of records.all()) if (!isKept(record)) await records.remove(record.replica_id);
    // one that has ended may have left its exit code
    const leftoverOf = (record: ProcessRecord) => ({ ...record, is_running: spared.has(record.replica_id) });
    const runner = new ProcessRunner(options, records, records.all().map(leftoverOf));
    runner.usage.begin();
    return runner;
  }

  /** @returns the note for its result @throws if it can't be started: an invalid configuration, no such program */
  async apply(desired: DesiredState): Promise<unknown> {
    if (this.isEnding) throw new Error('The runner is ending');
    if (desired.phase !== 'running') {
      await this.deployments.get(desired.deploymentId)?.endAll(desired.phase === 'killed' ? 0 : undefined);
      this.deployments.delete(desired.deploymentId);
      this.options.admission.forget(desired.deploymentId);
      return { replicas: 0 };
    }
    let deployment: DeploymentWork;
    try {
      const config = readProcessConfig(desired.config);
      deployment = await this.take(desired.deploymentId, config.run ? 'runs' : 'replicas');
      await this.assertAdmitted(deployment, desired, config);
      await deployment.bring(desired, config);
    } catch (error) {
      this.options.news.log({
        level: 'error',
        message: messageOf(error),
        deployment_id: desired.deploymentId,
        metadata: { source: 'runner' },
      });
      // after a mistake in it, the former start must not keep running under its name
      await this.deployments.get(desired.deploymentId)?.endAll();
      throw error;
    }
    // the runner was stopped while the replicas were being started
    if (this.isEnding) await deployment.endAll(undefined, 'runner_ended');
    return { replicas: desired.replicas, pids: deployment.pids() };
  }

  /** Ends all processes, each with its grace period; if this process ends earlier, they are killed with it. */
  async end(graceMs?: number): Promise<void> {
    this.isEnding = true;
    this.usage.end();
    const ended = atExit(() => this.killNow());
    await Promise.all(
      [...this.deployments.values()].map((deployment) => deployment.endAll(graceMs, 'runner_ended')),
    );
    ended();
  }

  /** Kills all processes without a grace period, also those that are ending. */
  killNow(): void {
    for (const deployment of this.deployments.values()) deployment.killNow();
  }

  /** @throws RefusedStartError, when its processes have ended, those of an earlier runner too */
  private async assertAdmitted(deployment: DeploymentWork, desired: DesiredState, config: ProcessConfig) {
    const asked = { config: desired.config, process: config, replicas: desired.replicas };
    try {
      this.options.admission.take(desired.deploymentId, asked, this.environmentOf(config, {}));
    } catch (error) {
      await deployment.bring({ ...desired, replicas: 0, cause: 'resume' }, config);
      throw error;
    }
  }

  private async take(deploymentId: string, kind: DeploymentWork['kind']): Promise<DeploymentWork> {
    const known = this.deployments.get(deploymentId);
    if (known?.kind === kind) return known;
    await known?.endAll();
    const leftovers = this.leftovers.filter(({ deployment_id }) => deployment_id === deploymentId);
    this.leftovers = this.leftovers.filter((record) => !leftovers.includes(record));
    const report = (id: string, condition: DeploymentCondition) => this.options.news.report(id, condition);
    const taken =
      kind === 'runs'
        ? new DeploymentRuns(deploymentId, this.runsHostOf(report), this.runningOf(leftovers))
        : new DeploymentProcesses(deploymentId, this.processesHostOf(report), leftovers);
    this.deployments.set(deploymentId, taken);
    return taken;
  }

  /** Forgets those that have ended. */
  private runningOf(leftovers: readonly Leftover[]): Leftover[] {
    for (const { is_running, replica_id } of leftovers) if (!is_running) this.forget(replica_id);
    return leftovers.filter(({ is_running }) => is_running);
  }

  private processesHostOf(report: DeploymentHost['report']): DeploymentHost {
    return {
      ports: this.ports,
      replicaHost: (deployment) => this.replicaHostOf(deployment),
      report,
      giveUp: (id, reason) => this.giveUp(id, reason),
      complete: (id, generation) =>
        this.options.news.complete(id, generation).catch((error: unknown) => this.warn('not_kept', error)),
    };
  }

  private runsHostOf(report: DeploymentHost['report']): DeploymentRunsHost {
    return {
      runs: this.options.runs,
      runHost: (deployment) => this.runHostOf(deployment),
      environmentOf: (config) => this.environmentOf(config, {}),
      report,
      giveUp: (id, reason) => this.giveUp(id, reason),
    };
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

  /** @param own the variables that say which process it is */
  private environmentOf(config: ProcessConfig, own: Record<string, string | undefined>): NodeJS.ProcessEnv {
    return this.options.environmentOf(config.env, { RUNNER_STATE_ID: this.records.stateId, ...own });
  }

  private replicaHostOf(deployment: DeploymentProcesses): ReturnType<DeploymentHost['replicaHost']> {
    const { options } = this;
    const { id } = deployment;
    const log = (index: number, entry: OutputEntry) =>
      options.news.log({ ...entry, deployment_id: id, metadata: { ...entry.metadata, replica: index } });
    const { keep, ...recordsHost } = this.recordsHostOf(id);
    return {
      ...recordsHost,
      admit: (command, env) => options.admission.admit(id, command, env),
      // it is found by its mark all the same
      keep: (replica, replicaId, process) =>
        keep(replica, replicaId, process).catch((error: unknown) => this.warn('not_kept', error)),
      environmentOf: ({ index, port }, replicaId) =>
        this.environmentOf(deployment.config, {
          PORT: port?.toString(),
          DEPLOYMENT_ID: id,
          GENERATION: String(deployment.generation),
          REPLICA_INDEX: String(index),
          REPLICA_ID: replicaId,
        }),
      onOutput: (index, entry, stream, at) => {
        options.foreground?.onOutput(entry, stream);
        log(index, { timestamp: new Date(at).toISOString(), ...entryOf(entry, stream) });
      },
      exitFilesOf: (replicaId) => this.records.exitFilesOf(replicaId),
      complete: (replicaId) =>
        this.records.complete(replicaId).catch((error: unknown) => this.warn('not_kept', error)),
      onEnd: options.foreground && ((exit) => options.foreground!.onEnd(exit)),
      onEvent: (level, event, message, index) => {
        options.onEvent({ level, event, message, deployment_id: id, replica: index });
        log(index, { level, message: `Replica ${index}: ${message}`, metadata: { source: 'runner', event } });
      },
    };
  }

  private runHostOf(deployment: DeploymentRuns): ReturnType<DeploymentRunsHost['runHost']> {
    const { options } = this;
    const { id } = deployment;
    return {
      ...this.recordsHostOf(id),
      admit: (command, env) => options.admission.admit(id, command, env),
      environmentOf: ({ index, stored: { run, directory } }, replicaId) =>
        this.environmentOf(deployment.config, {
          DEPLOYMENT_ID: id,
          GENERATION: String(deployment.generation),
          REPLICA_INDEX: String(index),
          REPLICA_ID: replicaId,
          RUN_ID: run.run_id,
          RUN_ATTEMPT: String(run.attempt),
          // empty, not absent: the runner may have variables of the same names
          RUN_NAME: run.name ?? '',
          CONVERSATION_ID: run.conversation_id ?? '',
          TRACEPARENT: run.traceparent,
          RUN_INPUT: directory.input,
          RUN_OUTPUT: directory.output,
        }),
      onOutput: ({ id: run_id, index }, entry) =>
        options.news.log({
          ...entry,
          deployment_id: id,
          run_id,
          metadata: { ...entry.metadata, replica: index },
        }),
      onEvent: ({ index }, event, message) =>
        options.onEvent({ level: 'info', event, message, deployment_id: id, replica: index }),
    };
  }

  /** The file that lists the processes of a deployment. */
  private recordsHostOf(deploymentId: string) {
    const { records } = this;
    return {
      as: this.options.as,
      pipesOf: (replicaId: string) => records.pipesOf(replicaId),
      keep: (
        {
          index,
          startGeneration,
          port,
        }: { index: number; startGeneration: number; port?: number | undefined },
        replica_id: string,
        { pid, identity }: { pid: number; identity: string },
      ) =>
        records.add({
          replica_id,
          deployment_id: deploymentId,
          index,
          start_generation: startGeneration,
          port,
          pid,
          identity,
          pid_namespace: pidNamespace(),
          started_at: Date.now(),
        }),
      forget: (replicaId: string) => this.forget(replicaId),
    };
  }

  private forget(replicaId: string): void {
    void this.records.remove(replicaId).catch((error: unknown) => this.warn('not_kept', error));
  }
}
