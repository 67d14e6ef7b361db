import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type EventListener, StateDirectoryError } from '@agent-control-plane/client/runtime';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import type { RunWork } from '@agent-control-plane/client/internal/runtime/run-work';
import type { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';
import { keptExit } from '../processes/kept-exit.js';
import { type ClaimedRun, type ClaimHost, DeploymentClaims } from './deployment-claims.js';
import { RunDirectory, type RunRecord } from './run-directory.js';
import { type RunReport, RunReports } from './run-reports.js';
import { resultOfLost, type RunResult } from './run-result.js';

/** A run on the disk, and where. */
export interface StoredRun extends RunRecord {
  readonly directory: RunDirectory;
}

/** A deployment that takes runs. */
export interface RunTaker {
  /** Number of free slots. */
  room(): number;
  add(stored: StoredRun): void;
  endEarly(runIds: ReadonlySet<string>): void;
}

interface Claiming {
  readonly taker: RunTaker;
  readonly claims: DeploymentClaims;
  readonly end: AbortController;
}

/** All runs that this runner has: those that wait for a slot, those at work, and those whose end the service has not answered yet. */
export class AgentRuns implements RunWork {
  private readonly reports: RunReports;
  private readonly parent: string;
  private readonly keysFile: string;
  /** The runs by the paths of their directories. */
  private readonly present = new Map<string, ClaimedRun>();
  private readonly claiming = new Map<string, Claiming>();
  /** Deployments that ran before this runner started, and that it has not brought up yet. */
  private awaited: ReadonlySet<string> = new Set();
  private leftovers: StoredRun[] = [];
  /** The deployments of unanswered claims by their keys. */
  private readonly keys: Map<string, string>;
  /** Keys of an earlier runner's claims, which were not repeated yet. */
  private oldKeys: readonly [key: string, deploymentId: string][];
  /** Claims that repeat their last call until it is answered, because their deployments take no more runs. */
  private readonly ending = new Map<DeploymentClaims, Promise<void>>();
  private working: AbortSignal | undefined;
  private pauses = 0;
  private gate: Promise<void> = Promise.resolve();
  private openGate: () => void = () => undefined;

  constructor(
    directory: string,
    private readonly link: ServiceLink,
    private readonly sending: AbortSignal,
    private readonly onEvent: EventListener,
  ) {
    this.reports = new RunReports(link, onEvent, sending);
    // programs get paths in it, and they have directories of their own
    this.parent = resolve(directory, 'runs');
    this.keysFile = join(directory, 'claims.json');
    this.oldKeys = Object.entries(readKeys(this.keysFile));
    this.keys = new Map(this.oldKeys);
  }

  /**
   * Finds the runs of an earlier runner. Resolves when the ends of those whose processes are gone are on the disk.
   *
   * @param wanted the deployments that will be brought up again
   * @param written marks of all processes that were written down; a run begins only after its process was
   * @param alive marks of those that still run
   */
  async open(
    wanted: readonly string[],
    written: ReadonlySet<string>,
    alive: ReadonlySet<string>,
  ): Promise<void> {
    this.awaited = new Set(wanted);
    for (const directory of RunDirectory.all(this.parent)) {
      const record = directory.record();
      if (!record) {
        directory.remove();
        continue;
      }
      this.present.set(directory.path, record.run);
      const mark = record.replica_id;
      const isBegun = mark !== undefined && (written.has(mark) || keptExit(directory) !== null);
      const stored: StoredRun = { run: record.run, directory, ...(isBegun && { replica_id: mark }) };
      const report = directory.report();
      if (report) void this.send(directory, report);
      else if (isBegun && !alive.has(mark)) await this.finish(stored, resultOfLost(directory));
      else if (this.awaited.has(record.run.deployment_id ?? '')) this.leftovers.push(stored);
      else await this.drop(stored);
    }
  }

  /** Lets a deployment take runs. Those of an earlier runner are handed to it. */
  attach(deploymentId: string, taker: RunTaker): StoredRun[] {
    if (!this.claiming.has(deploymentId)) {
      const claims = new DeploymentClaims(this.link, deploymentId, this.hostOf(deploymentId));
      const claiming = { taker, claims, end: new AbortController() };
      this.claiming.set(deploymentId, claiming);
      if (this.working) this.claim(claiming, this.working);
    }
    return this.leftoversOf(deploymentId);
  }

  /** Takes no more runs for a deployment. */
  detach(deploymentId: string): void {
    this.awaited = new Set([...this.awaited].filter((id) => id !== deploymentId));
    for (const stored of this.leftoversOf(deploymentId)) void this.drop(stored);
    const claiming = this.claiming.get(deploymentId);
    if (!claiming) return;
    this.claiming.delete(deploymentId);
    const { claims, end } = claiming;
    end.abort();
    const settled = claims
      .settle(this.sending)
      .catch(() => undefined)
      .finally(() => this.ending.delete(claims));
    this.ending.set(claims, settled);
  }

  roomChanged(deploymentId: string): void {
    this.claiming.get(deploymentId)?.claims.roomChanged();
  }

  /** Reports the end of a run. Resolves when it is on the disk, as far as that is possible. */
  async finish({ run, directory }: StoredRun, result: RunResult): Promise<void> {
    const { run_id, attempt } = run;
    const report: RunReport = { run_id, attempt, ...result, ended_at: new Date().toISOString() };
    await directory.keepReport(report).catch((error: unknown) => this.warn('not_kept', error));
    void this.send(directory, report);
  }

  /** Gives a run back that was not begun. */
  giveBack({ run, directory }: StoredRun): void {
    void this.send(directory, { run_id: run.run_id, attempt: run.attempt, status: 'queued' });
  }

  held(): string[] | undefined {
    const claims = [...this.ending.keys(), ...[...this.claiming.values()].map((each) => each.claims)];
    // the service would abandon a run of a lost answer
    if (claims.some(({ isInDoubt }) => isInDoubt)) return undefined;
    return [...new Set([...this.present.values()].map(({ run_id }) => run_id))];
  }

  endEarly(runIds: readonly string[]): void {
    if (runIds.length === 0) return;
    const ids = new Set(runIds);
    for (const { taker } of this.claiming.values()) taker.endEarly(ids);
  }

  async registering<Reply>(register: () => Promise<Reply>, signal: AbortSignal): Promise<Reply> {
    if (this.pauses === 0) this.gate = new Promise((resolve) => (this.openGate = resolve));
    this.pauses += 1;
    try {
      const old = this.oldKeys.map(([key, id]) => new DeploymentClaims(this.link, id, this.hostOf(id), key));
      const present = [...this.claiming.values()].map(({ claims }) => claims);
      for (const claims of present) claims.interrupt();
      const settling = [...old, ...present].map((claims) => claims.settle(signal));
      await Promise.all([...settling, ...this.ending.values()]);
      this.oldKeys = [];
      return await register();
    } finally {
      this.pauses -= 1;
      if (this.pauses === 0) this.openGate();
    }
  }

  run(signal: AbortSignal): Promise<void> {
    this.working = signal;
    for (const claiming of this.claiming.values()) this.claim(claiming, signal);
    return new Promise((_, reject) => {
      const end = () => reject(signal.reason as Error);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }

  async settled(): Promise<void> {
    await Promise.all(this.ending.values());
    await this.reports.settled();
  }

  private claim({ claims, end }: Claiming, working: AbortSignal): void {
    const untilOpen = () => this.gate;
    // it ends with one of the two signals, or with the refusal of the key, which ends the runner
    void claims.run(untilOpen, AbortSignal.any([working, end.signal])).catch(() => undefined);
  }

  private hostOf(deploymentId: string): ClaimHost {
    return {
      room: () => this.claiming.get(deploymentId)?.taker.room() ?? 0,
      take: (runs) => this.take(deploymentId, runs),
      endEarly: (runIds) => this.endEarly(runIds),
      keep: async (key) => {
        for (const [old, id] of this.keys) if (id === deploymentId) this.keys.delete(old);
        this.keys.set(key, deploymentId);
        const keys = JSON.stringify(Object.fromEntries(this.keys));
        await replaceFile(this.keysFile, keys).catch((error: unknown) => {
          throw new StateDirectoryError(dirname(this.keysFile), error);
        });
      },
      onFailure: (error) => this.warn('claim_failed', error, deploymentId),
    };
  }

  private async take(deploymentId: string, runs: readonly ClaimedRun[]): Promise<boolean> {
    const taken = await Promise.all(runs.map((run) => this.takeOne(deploymentId, run)));
    return taken.every(Boolean);
  }

  private async takeOne(deploymentId: string, run: ClaimedRun): Promise<boolean> {
    const directory = RunDirectory.of(this.parent, run);
    if (this.present.has(directory.path)) return true;
    this.present.set(directory.path, run);
    const stored = { run, directory };
    try {
      await directory.keep({ run });
    } catch (error) {
      this.warn('not_kept', error, deploymentId);
      this.giveBack(stored);
      return false;
    }
    const claiming = this.claiming.get(deploymentId);
    if (claiming) claiming.taker.add(stored);
    else if (this.awaited.has(deploymentId)) this.leftovers.push(stored);
    else this.giveBack(stored);
    return true;
  }

  private leftoversOf(deploymentId: string): StoredRun[] {
    const isIts = ({ run }: StoredRun) => run.deployment_id === deploymentId;
    const its = this.leftovers.filter(isIts);
    this.leftovers = this.leftovers.filter((stored) => !isIts(stored));
    return its;
  }

  /** Reports on a run of an earlier runner whose deployment is not brought up again: its processes have been ended. */
  private async drop(stored: StoredRun): Promise<void> {
    if (stored.replica_id === undefined) this.giveBack(stored);
    else await this.finish(stored, resultOfLost(stored.directory));
  }

  private async send(directory: RunDirectory, report: RunReport): Promise<void> {
    if (!(await this.reports.send(report))) return;
    this.present.delete(directory.path);
    directory.remove();
  }

  private warn(event: string, error: unknown, deploymentId?: string): void {
    const about = deploymentId === undefined ? {} : { deployment_id: deploymentId };
    this.onEvent({ level: 'warning', event, message: messageOf(error), ...about });
  }
}

/** Returns no keys if the file is absent or incomplete. */
function readKeys(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}
