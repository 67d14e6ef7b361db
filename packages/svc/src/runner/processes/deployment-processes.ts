import type { DeploymentCondition, DesiredState, LastExit } from '@agent-control-plane/client/runtime';
import type { DeploymentWork, Measured, WorkEnd } from './deployment-work.js';
import type { ProcessConfig } from './process-config.js';
import type { Leftover } from './process-records.js';
import type { ReplicaPorts } from './replica-ports.js';
import { planReplicas } from './replica-plan.js';
import { Replica, type ReplicaHost } from './replica.js';

/** The parts of the runner that a deployment's processes use. */
export interface DeploymentHost {
  readonly ports: ReplicaPorts;
  /** The host for one replica's process. */
  replicaHost(deployment: DeploymentProcesses): Omit<ReplicaHost, 'onChange' | 'onRefused' | 'onExit'>;
  report(deploymentId: string, condition: DeploymentCondition): void;
  /** Never fails. */
  giveUp(deploymentId: string, reason: string): Promise<void>;
  /** Called when all replicas of a generation have ended well, possibly again. Never fails. */
  complete(deploymentId: string, generation: number): Promise<void>;
}

/** The processes of one deployment, one for each replica. */
export class DeploymentProcesses implements DeploymentWork {
  readonly kind = 'replicas';
  generation = 0;
  config: ProcessConfig;
  private readonly replicas = new Map<number, Replica>();
  private isGivenUp = false;
  /** True while replicas from earlier starts are replaced one after another. */
  private isRolling = false;
  /** The one whose turn has come: it is ending, and counts as ready no more. */
  private outgoing: { readonly replica: Replica; readonly gone: Promise<void> } | undefined;
  private startGeneration = 0;
  private wantedReplicas = 0;
  /** Number of ended processes since the last deploy or restart, each of which was replaced. */
  private restartCount = 0;
  private lastExit: LastExit | undefined;
  private readonly replicaHost: ReplicaHost;

  constructor(
    readonly id: string,
    private readonly host: DeploymentHost,
    /** Processes of an earlier runner, some of which have ended: those that are needed are adopted, the others are ended. */
    private leftovers: readonly Leftover[],
  ) {
    this.replicaHost = {
      ...host.replicaHost(this),
      onChange: (replica) => this.onChange(replica),
      onRefused: (reason) => this.giveUp(reason),
      onExit: (exit, isRestarted) => {
        if (isRestarted) this.restartCount += 1;
        this.lastExit = exit;
      },
    };
  }

  /** Brings the replicas into a state. @throws if a deploy or restart can't start its command */
  async bring(desired: DesiredState, config: ProcessConfig): Promise<void> {
    this.isRolling = false;
    const { outgoing } = this;
    this.config = config;
    this.generation = desired.generation;
    this.wantedReplicas = desired.replicas;
    this.isGivenUp = false;
    if (desired.startGeneration !== this.startGeneration) {
      this.startGeneration = desired.startGeneration;
      this.restartCount = 0;
      this.lastExit = undefined;
    }
    await this.adoptLeftovers();
    // one of them had ended, and must not start again
    if (this.isGivenUp) return this.endAll();
    const present = this.all().filter((replica) => replica !== outgoing?.replica);
    const plan = planReplicas(desired, present);
    const ending = plan.end.filter((index) => !this.staysCompleted(index));
    // all within one grace: a pause must not wait for the replica whose turn it was
    await Promise.all([outgoing?.gone, ...ending.map((index) => this.end(index))]);
    const started = plan.start.map((index) => this.start(index, desired));
    const refused = (await Promise.allSettled(started)).find((it) => it.status === 'rejected');
    if (refused) {
      await this.endAll();
      throw refused.reason;
    }
    this.isRolling = desired.rolling;
    this.rollOn();
    this.report();
  }

  /** Ends all replicas, the highest first, and waits for their end. */
  async endAll(graceMs?: number, why: WorkEnd = 'stopped'): Promise<void> {
    this.isRolling = false;
    const indexes = [...this.replicas.keys()].sort((one, other) => other - one);
    await Promise.all(indexes.map((index) => this.end(index, graceMs, why)));
  }

  killNow(): void {
    for (const replica of this.replicas.values()) replica.killNow();
  }

  pids(): number[] {
    return this.all().flatMap(({ pid }) => pid ?? []);
  }

  measured(): Measured | undefined {
    const replicas = this.all().filter(({ status }) => status !== 'completed');
    if (replicas.length === 0) return undefined;
    return {
      since: Math.min(...replicas.map(({ startedAt }) => startedAt)),
      custom: {
        replicas: replicas.length,
        ready_replicas: this.condition().readyReplicas,
        restarts: replicas.reduce((total, { restarts }) => total + restarts, 0),
      },
    };
  }

  private all(): Replica[] {
    return [...this.replicas.values()];
  }

  condition(): DeploymentCondition {
    const counts = (replica: Replica) => isFine(replica) && replica !== this.outgoing?.replica;
    const readyReplicas = this.wanted().filter(counts).length;
    const trouble = this.wanted().find((replica) => !isFine(replica) && replica.trouble)?.trouble;
    return {
      readyReplicas,
      restartCount: this.restartCount,
      ...(this.lastExit && { lastExit: this.lastExit }),
      ...(trouble !== undefined && { errorMessage: trouble }),
    };
  }

  private async start(
    index: number,
    { startGeneration, cause }: Pick<DesiredState, 'startGeneration' | 'cause'>,
  ): Promise<void> {
    const { readiness } = this.config;
    const port = readiness.kind === 'port' ? this.host.ports.take(readiness.port + index) : undefined;
    const replica = new Replica(index, startGeneration, port, this.config, this.replicaHost);
    this.replicas.set(index, replica);
    // a command that can't be started at first is a mistake to report; later it may be a transient problem
    await (cause === 'deploy' || cause === 'restart' ? replica.start() : replica.startAtLast());
  }

  private async end(index: number, graceMs?: number, why?: WorkEnd): Promise<void> {
    const replica = this.replicas.get(index);
    if (replica) await this.discard(replica, graceMs, why);
  }

  private async discard(replica: Replica, graceMs?: number, why?: WorkEnd): Promise<void> {
    await replica.end(graceMs);
    if (why !== 'runner_ended') replica.forgetEnd();
    if (this.replicas.get(replica.index) !== replica) return;
    this.replicas.delete(replica.index);
    if (replica.port !== undefined) this.host.ports.release(replica.port);
  }

  private async adoptLeftovers(): Promise<void> {
    // the newest first: a replica has one process
    const records = [...this.leftovers].sort((one, other) => other.started_at - one.started_at);
    this.leftovers = [];
    for (const record of records) {
      const { index, start_generation: startGeneration, port } = record;
      const replica = new Replica(index, startGeneration, port, this.config, this.replicaHost);
      if (!replica.adopt(record)) this.replicaHost.forget(record.replica_id);
      else if (this.replicas.has(index)) await replica.end(0);
      else {
        this.replicas.set(index, replica);
        if (port !== undefined) this.host.ports.claim(port);
      }
    }
  }

  private onChange(replica: Replica): void {
    this.rollOn();
    this.report();
    const { giveUpAfter } = this.config.restart;
    const isHopeless = giveUpAfter > 0 && replica.failedStarts >= giveUpAfter;
    if (!isHopeless || this.all().some(({ status }) => status === 'ready')) return;
    this.giveUp(`Given up after ${replica.failedStarts} starts in a row: ${replica.trouble}`);
  }

  private giveUp(reason: string): void {
    if (this.isGivenUp) return;
    // the last exit
    this.report();
    this.isGivenUp = true;
    // at once: while that is saved on a slow disk, one of them could start again
    for (const hopeless of this.all()) void this.discard(hopeless);
    void this.host.giveUp(this.id, reason);
  }

  /**
   * Replaces the next replica from an earlier start, one that does not work first, once all new ones are ready. To be
   * called before a report: the number of ready replicas is that of the wanted ones only when the last was replaced.
   */
  private rollOn(): void {
    if (!this.isRolling || this.outgoing || this.isGivenUp) return;
    const wanted = this.wanted().sort((one, other) => one.index - other.index);
    const older = wanted.filter(({ startGeneration }) => startGeneration < this.startGeneration);
    const next = older.find((replica) => !isFine(replica)) ?? older[0];
    const isOnItsWay = wanted.some((replica) => !older.includes(replica) && !isFine(replica));
    if (!next || isOnItsWay) return;
    this.outgoing = { replica: next, gone: this.replace(next) };
  }

  /** Ends a replica and starts it again, unless something else is asked for meanwhile. */
  private async replace(older: Replica): Promise<void> {
    await this.discard(older);
    this.outgoing = undefined;
    if (!this.isRolling || this.isGivenUp) return;
    // it tries again where it can't be started, and the replicas after it wait
    void this.start(older.index, { startGeneration: this.startGeneration, cause: 'scale' });
  }

  private report(): void {
    // surplus replicas are ending
    if (this.isGivenUp) return;
    this.host.report(this.id, this.condition());
    if (this.isCompleted()) void this.host.complete(this.id, this.generation);
  }

  private isCompleted(): boolean {
    const wanted = this.wanted();
    const isWhole = wanted.length > 0 && wanted.length === this.wantedReplicas;
    const isDone = ({ status, startGeneration }: Replica) =>
      status === 'completed' && startGeneration >= this.startGeneration;
    return isWhole && wanted.every(isDone);
  }

  private wanted(): Replica[] {
    return this.all().filter(({ index }) => index < this.wantedReplicas);
  }

  /** A replica that completed its work stays completed through a pause and a scale; a deploy or a restart starts it again. */
  private staysCompleted(index: number): boolean {
    const { status, startGeneration } = this.replicas.get(index)!;
    return status === 'completed' && startGeneration >= this.startGeneration;
  }
}

/** A replica that completed its work is no loss while others are still at work. */
function isFine({ status }: Replica): boolean {
  return status === 'ready' || status === 'completed';
}
