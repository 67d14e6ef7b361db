import type { DeploymentCondition, DesiredState } from '@agent-control-plane/client/runtime';
import type { DeploymentWork, Measured, WorkEnd } from '../processes/deployment-work.js';
import type { ProcessConfig } from '../processes/process-config.js';
import type { ProcessRecord } from '../processes/process-records.js';
import { findProgram } from '../processes/program-start.js';
import type { AgentRuns, RunTaker, StoredRun } from './agent-runs.js';
import { RunAtWork, type RunHost } from './run-at-work.js';

/** The parts of the runner that a deployment's runs use. */
export interface DeploymentRunsHost {
  readonly runs: AgentRuns;
  runHost(deployment: DeploymentRuns): Omit<RunHost, 'onRefused'>;
  /** Environment in which its program is looked for. */
  environmentOf(config: ProcessConfig): NodeJS.ProcessEnv;
  report(deploymentId: string, condition: DeploymentCondition): void;
  /** Never fails. */
  giveUp(deploymentId: string, reason: string): Promise<void>;
}

/** The runs of one deployment: a process for each, at most `concurrency` for each replica. */
export class DeploymentRuns implements DeploymentWork, RunTaker {
  readonly kind = 'runs';
  generation = 0;
  config: ProcessConfig;
  private startGeneration = 0;
  private replicas = 0;
  /** False while no run may begin. */
  private isOpen = false;
  private readonly waiting: StoredRun[] = [];
  /** The runs at work by the paths of their directories. */
  private readonly atWork = new Map<string, RunAtWork>();
  private readonly ended = new Map<string, Promise<void>>();
  private readonly runHost: RunHost;
  private readonly since = performance.now();

  constructor(
    readonly id: string,
    private readonly host: DeploymentRunsHost,
    /** Processes of an earlier runner. */
    private leftovers: readonly ProcessRecord[],
  ) {
    this.runHost = { ...host.runHost(this), onRefused: (reason) => this.giveUp(reason) };
  }

  /** Brings the slots into a state. @throws if a deploy or restart names a program that is not there */
  async bring(desired: DesiredState, config: ProcessConfig): Promise<void> {
    this.config = config;
    this.generation = desired.generation;
    if (desired.cause === 'deploy' || desired.cause === 'restart')
      findProgram(config.command[0], { cwd: config.cwd, env: this.host.environmentOf(config) });
    this.isOpen = false;
    this.resume();
    // each run is a process of its own, so a rolling restart lets those under way finish
    const isOutdated = ([, work]: [string, RunAtWork]) => work.startGeneration < desired.startGeneration;
    const outdated = desired.rolling ? [] : [...this.atWork].filter(isOutdated);
    for (const [, work] of outdated) work.end('restarted');
    await Promise.all(outdated.flatMap(([path]) => this.ended.get(path) ?? []));
    this.startGeneration = desired.startGeneration;
    // runs that are at work in surplus slots continue to their end
    this.replicas = desired.replicas;
    this.isOpen = true;
    this.begin();
    this.host.runs.roomChanged(this.id);
    this.host.report(this.id, this.condition());
  }

  room(): number {
    return this.isOpen ? Math.max(0, this.slots - this.atWork.size - this.waiting.length) : 0;
  }

  add(stored: StoredRun): void {
    // the service has given up an earlier attempt of the same run
    for (const work of this.atWork.values()) if (work.id === stored.run.run_id) work.endAsTold();
    this.waiting.push(stored);
    this.begin();
  }

  endEarly(runIds: ReadonlySet<string>): void {
    for (const work of this.atWork.values()) if (runIds.has(work.id)) work.endAsTold();
    const isMeant = ({ run }: StoredRun) => runIds.has(run.run_id);
    for (const stored of this.waiting.filter(isMeant)) {
      this.waiting.splice(this.waiting.indexOf(stored), 1);
      void this.host.runs.finish(stored, { status: 'cancelled' });
    }
  }

  async endAll(graceMs?: number, why: WorkEnd = 'stopped'): Promise<void> {
    this.isOpen = false;
    this.host.runs.detach(this.id);
    for (const stored of this.waiting.splice(0)) this.host.runs.giveBack(stored);
    for (const work of this.atWork.values()) work.end(why, graceMs);
    await Promise.all(this.ended.values());
  }

  killNow(): void {
    for (const work of this.atWork.values()) work.killNow();
  }

  pids(): number[] {
    return [...this.atWork.values()].flatMap(({ pid }) => pid ?? []);
  }

  measured(): Measured | undefined {
    const { readyReplicas } = this.condition();
    const runs = this.atWork.size;
    if (runs === 0) return undefined;
    return { since: this.since, custom: { replicas: this.replicas, ready_replicas: readyReplicas, runs } };
  }

  condition(): DeploymentCondition {
    return { readyReplicas: this.isOpen ? this.replicas : 0 };
  }

  /** A policy lets none of its runs start. */
  private giveUp(reason: string): void {
    if (!this.isOpen) return;
    void this.endAll();
    void this.host.giveUp(this.id, reason);
  }

  private get slots(): number {
    return this.replicas * (this.config.run?.concurrency ?? 0);
  }

  /** Takes over the runs of an earlier runner. */
  private resume(): void {
    for (const stored of this.host.runs.attach(this.id, this)) {
      const record = this.leftovers.find(({ replica_id }) => replica_id === stored.replica_id);
      if (!record) {
        this.waiting.push(stored);
        continue;
      }
      const work = this.workOf(stored, record.index, record.start_generation);
      this.track(work, () => work.resume(record));
    }
    this.leftovers = [];
  }

  /** Begins the runs for which there are slots. */
  private begin(): void {
    while (this.isOpen && this.atWork.size < this.slots) {
      const busy = new Set([...this.atWork.values()].map(({ id }) => id));
      const next = this.waiting.findIndex(({ run }) => !busy.has(run.run_id));
      if (next < 0) return;
      const [stored] = this.waiting.splice(next, 1) as [StoredRun];
      const work = this.workOf(stored, this.idlestReplica(), this.startGeneration);
      this.track(work, () => work.carryOut());
    }
  }

  private track(work: RunAtWork, carryOut: () => ReturnType<RunAtWork['carryOut']>): void {
    const { path } = work.stored.directory;
    this.atWork.set(path, work);
    const ended = carryOut()
      .then((result) => {
        this.runHost.onEvent(work, 'run_ended', `Run ${work.id} ${result.status}`);
        return this.host.runs.finish(work.stored, result);
      })
      .then(() => work.forget())
      .finally(() => {
        this.atWork.delete(path);
        this.ended.delete(path);
        this.begin();
        this.host.runs.roomChanged(this.id);
      });
    this.ended.set(path, ended);
  }

  private workOf(stored: StoredRun, index: number, startGeneration: number): RunAtWork {
    return new RunAtWork(stored, index, startGeneration, this.config, this.runHost);
  }

  private idlestReplica(): number {
    const busy = Array.from({ length: this.replicas }, () => 0);
    for (const { index } of this.atWork.values()) if (index < busy.length) busy[index]! += 1;
    return busy.indexOf(Math.min(...busy));
  }
}
