import { setTimeout as delay } from 'node:timers/promises';
import { errorLineOf } from '@agent-control-plane/client/internal/error-line';
import { Backoff } from '@agent-control-plane/client/internal/runtime/backoff';
import type { LastExit } from '@agent-control-plane/client/runtime';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import type { AccountEntry } from './account-entry.js';
import { describeExit, lastExitOf, type LastWords } from './exit-description.js';
import { commandOf, keptExit, letPass, spawnKept } from './kept-exit.js';
import type { Admit } from '../policy/admission.js';
import { RefusedStartError } from '../policy/refused-start.js';
import type { OutputStream } from './output-line.js';
import type { ProcessConfig } from './process-config.js';
import { type ExitFiles, type Leftover, startOf } from './process-records.js';
import { type Command, findProgram, scriptFault } from './program-start.js';
import { watchReadiness } from './readiness.js';
import { type Exit, type ProcessOrder, ReplicaProcess } from './replica-process.js';
import type { PresentReplica } from './replica-plan.js';

const LONGEST_LAST_WORDS = 500;
/** Exit code of env(1) and of shells for a program that is not there. */
const NOT_FOUND = 127;

/** The parts of the runner that a replica uses. */
export interface ReplicaHost {
  readonly admit: Admit;
  /** The entry to the account of its processes; undefined: the runner's own. */
  readonly as: AccountEntry | undefined;
  environmentOf(replica: Replica, replicaId: string): NodeJS.ProcessEnv;
  pipesOf(replicaId: string): [stdout: string, stderr: string];
  /** Saves the record of a process, as far as that is possible; never fails. */
  keep(replica: Replica, replicaId: string, process: ReplicaProcess): Promise<void>;
  forget(replicaId: string): void;
  exitFilesOf(replicaId: string): ExitFiles;
  /** Writes down that a process has ended well, as far as that is possible; never fails. */
  complete(replicaId: string): Promise<void>;
  /** @param at milliseconds since 1970 */
  onOutput(index: number, entry: string, stream: OutputStream, at: number): void;
  onEvent(level: 'info' | 'warning', event: string, message: string, index: number): void;
  /** Called when its status or its trouble has changed. */
  onChange(replica: Replica): void;
  /** Called when it may not start again: by a policy, or because its config says so. */
  onRefused(reason: string): void;
  /** Called when its process has ended. */
  onExit(exit: LastExit, isRestarted: boolean): void;
  /** Called when its process has ended by itself. Present: it is not started again, whatever its config says. */
  readonly onEnd: ((exit: Exit) => void) | undefined;
}

/** `completed`: its process has ended well, and is not to start again. */
export type ReplicaStatus = 'starting' | 'ready' | 'waiting' | 'ended' | 'completed';

/** One of a deployment's replicas, across its processes: it is restarted as long as it is needed. */
export class Replica implements PresentReplica {
  status: ReplicaStatus = 'starting';
  /** The last error; undefined while it is ready. */
  trouble: string | undefined;
  /** Number of starts in a row without readiness. */
  failedStarts = 0;
  restarts = 0;
  /** By `performance.now()`. */
  startedAt = performance.now();
  private current: ReplicaProcess | undefined;
  private completedId: string | undefined;
  private launching: Promise<void> = Promise.resolve();
  private lastWords: LastWords = {};
  private readonly wanted = new AbortController();
  private readonly backoff: Backoff;

  constructor(
    readonly index: number,
    readonly startGeneration: number,
    /** A port that no other replica of this runner has, if its readiness check uses one. */
    readonly port: number | undefined,
    private readonly config: ProcessConfig,
    private readonly host: ReplicaHost,
  ) {
    // no jitter: a single replica has no others to spread from
    this.backoff = new Backoff(config.restart.firstDelayMs, config.restart.longestDelayMs, () => 1);
  }

  /** Undefined while no process runs. */
  get pid(): number | undefined {
    return this.current?.pid;
  }

  /** Starts the first process. @throws if it can't be started */
  start(): Promise<void> {
    this.launching = this.launch();
    return this.launching;
  }

  /** Starts the first process, and repeats the attempt if it can't be started. */
  async startAtLast(): Promise<void> {
    await this.start().catch((error: unknown) => {
      if (error instanceof RefusedStartError) this.host.onRefused(messageOf(error));
      else this.failed(messageOf(error));
    });
  }

  /**
   * Adopts a process of an earlier runner, or the end that it came to by itself while no runner was there.
   *
   * @returns false if neither is known: it was ended with its runner, and is to start again
   */
  adopt(record: Leftover): boolean {
    const { replica_id: replicaId } = record;
    this.startedAt = startOf(record);
    if (record.is_completed) {
      this.status = 'completed';
      this.completedId = replicaId;
      return true;
    }
    const files = this.exitFilesOf(replicaId);
    const process = record.is_running ? ReplicaProcess.adopt(record, this.orderOf(replicaId)) : undefined;
    const exit = process || !files ? null : keptExit(files);
    if (exit) this.onExit(exit, replicaId);
    if (!process) return exit !== null;
    if (files) letPass(process, files);
    this.host.onEvent('info', 'replica_adopted', `Process ${process.pid} still runs: taken over`, this.index);
    this.watchOver(process, replicaId);
    return true;
  }

  /** Forgets that it is completed: it may start again. */
  forgetEnd(): void {
    if (this.completedId !== undefined) this.host.forget(this.completedId);
  }

  /** Ends it permanently, with its process group. May be called again, with a shorter grace period. */
  async end(graceMs = this.config.stopGraceMs): Promise<void> {
    this.wanted.abort();
    await this.launching.catch(() => undefined);
    await this.current?.end(graceMs);
    if (this.status !== 'completed') this.status = 'ended';
  }

  /** Kills it at once, without waiting. */
  killNow(): void {
    this.current?.signal('SIGKILL');
  }

  private async launch(): Promise<void> {
    const replicaId = crypto.randomUUID();
    this.lastWords = {};
    const order = this.orderOf(replicaId);
    const admitted = this.host.admit(this.config.command, order.env);
    const files = this.exitFilesOf(replicaId);
    const keep = (process: ReplicaProcess) => this.host.keep(this, replicaId, process);
    const admittedOrder = { ...order, config: { ...this.config, ...admitted } };
    const process = await (files
      ? spawnKept(admittedOrder, files, keep)
      : ReplicaProcess.spawn(admittedOrder));
    this.startedAt = performance.now();
    this.status = 'starting';
    this.watchOver(process, replicaId);
    this.host.onEvent('info', 'replica_started', `Process ${process.pid} started`, this.index);
    if (!files) await keep(process);
  }

  /** Undefined: it is started again however it ends. */
  private exitFilesOf(replicaId: string): ExitFiles | undefined {
    return this.config.restart.when === 'always' ? undefined : this.host.exitFilesOf(replicaId);
  }

  private orderOf(replicaId: string): ProcessOrder {
    const env = this.host.environmentOf(this, replicaId);
    const files = this.exitFilesOf(replicaId);
    const { as } = this.host;
    const { cwd } = this.config;
    return {
      config: this.config,
      env,
      as,
      ...(files && {
        // the shell would take the name of a builtin for that
        around: ([program, ...args]: Command) =>
          commandOf([as ? program : findProgram(program, { cwd, env }), ...args], files),
      }),
      pipes: this.host.pipesOf(replicaId),
      onOutput: (entry, stream, at) => {
        const reason = errorLineOf(entry);
        if (reason !== undefined) this.lastWords[stream] = reason.slice(0, LONGEST_LAST_WORDS).toWellFormed();
        this.host.onOutput(this.index, entry, stream, at);
      },
    };
  }

  private watchOver(process: ReplicaProcess, replicaId: string): void {
    this.current = process;
    const watching = new AbortController();
    const order = {
      config: this.config,
      cwd: this.config.cwd,
      admit: this.host.admit,
      env: this.host.environmentOf(this, replicaId),
      as: this.host.as,
      port: this.port,
      pid: process.pid,
      startedAt: this.startedAt,
      onChange: (isReady: boolean) => this.becomes(isReady),
      onUnusable: (reason: string) => this.canNotBeChecked(reason),
    };
    void watchReadiness(order, AbortSignal.any([watching.signal, this.wanted.signal]));
    void process.ended.then((exit) => {
      watching.abort();
      this.current = undefined;
      const files = this.exitFilesOf(replicaId);
      this.onExit((files && keptExit(files)) ?? exit, replicaId);
    });
  }

  private onExit(exit: Exit, replicaId: string): void {
    const isWanted = !this.wanted.signal.aborted;
    const { onEnd } = this.host;
    const when = onEnd ? 'never' : this.config.restart.when;
    if (isWanted && when !== 'always' && exit.code === 0) return void this.complete(exit, replicaId);
    this.host.forget(replicaId);
    if (!isWanted) return;
    const { env } = this.orderOf(replicaId);
    // after `#!/usr/bin/env node` with CRLF it is env that ends, and its output hides the carriage return
    const { command, cwd } = this.config;
    const fault = exit.code === NOT_FOUND ? scriptFault(command[0], { cwd, env }) : undefined;
    if (fault !== undefined) this.lastWords.stderr = fault;
    this.host.onExit(lastExitOf(exit, this.lastWords), when !== 'never');
    const how = describeExit(exit, this.lastWords);
    if (when !== 'never') return this.failed(how);
    this.status = 'ended';
    this.host.onEvent('warning', 'replica_ended', `It ${how}; it is not started again`, this.index);
    onEnd?.(exit);
    this.host.onRefused(
      onEnd
        ? `The program ${how}`
        : `Replica ${this.index} ${how}; its config says that it is not started again`,
    );
  }

  private async complete(exit: Exit, replicaId: string): Promise<void> {
    this.status = 'completed';
    this.trouble = undefined;
    this.completedId = replicaId;
    this.host.onEvent('info', 'replica_completed', 'It ended well, and is not started again', this.index);
    this.host.onExit(lastExitOf(exit, this.lastWords), false);
    // before it is reported: the next runner would start it again
    await this.host.complete(replicaId);
    if (!this.wanted.signal.aborted) this.host.onChange(this);
    this.host.onEnd?.(exit);
  }

  private becomes(isReady: boolean): void {
    // an end that is already in progress comes first
    if (!this.current || this.wanted.signal.aborted) return;
    this.status = isReady ? 'ready' : 'starting';
    this.trouble = isReady ? undefined : `replica ${this.index} no longer passes its readiness check`;
    if (isReady) this.failedStarts = 0;
    const message = isReady ? 'Ready' : 'No longer ready';
    this.host.onEvent(
      isReady ? 'info' : 'warning',
      isReady ? 'replica_ready' : 'replica_unready',
      message,
      this.index,
    );
    this.host.onChange(this);
  }

  private canNotBeChecked(reason: string): void {
    if (!this.current || this.wanted.signal.aborted) return;
    this.host.onEvent('warning', 'readiness_unusable', `The readiness check ${reason}`, this.index);
  }

  private failed(what: string): void {
    if (this.status !== 'ready') this.failedStarts += 1;
    if (performance.now() - this.startedAt >= this.config.restart.resetAfterMs) this.backoff.reset();
    const pauseMs = this.backoff.next();
    this.status = 'waiting';
    this.restarts += 1;
    this.trouble = `replica ${this.index} ${what}`;
    const again = `starts again in ${Math.round(pauseMs / 100) / 10} s`;
    this.host.onEvent('warning', 'replica_ended', `It ${what}; ${again}`, this.index);
    this.host.onChange(this);
    if (!this.wanted.signal.aborted) void this.startAfter(pauseMs);
  }

  private async startAfter(pauseMs: number): Promise<void> {
    await delay(pauseMs, undefined, { signal: this.wanted.signal }).catch(() => undefined);
    if (!this.wanted.signal.aborted) await this.startAtLast();
  }
}
