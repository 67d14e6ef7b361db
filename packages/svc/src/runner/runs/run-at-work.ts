import { setImmediate } from 'node:timers';
import type { LogEntry } from '@agent-control-plane/client';
import { errorLineOf } from '@agent-control-plane/client/internal/error-line';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import { commandOf, keptExit, letPass, spawnKept } from '../processes/kept-exit.js';
import { entryOf } from '../processes/output-line.js';
import { RefusedStartError } from '../policy/refused-start.js';
import type { ProcessConfig } from '../processes/process-config.js';
import { type ProcessRecord, startOf } from '../processes/process-records.js';
import type { ReplicaHost } from '../processes/replica.js';
import { findProgram } from '../processes/program-start.js';
import { type ProcessOrder, ReplicaProcess } from '../processes/replica-process.js';
import type { StoredRun } from './agent-runs.js';
import type { LastWords } from './run-directory.js';
import { type EarlyEnd, resultOf, resultOfLost, type RunResult } from './run-result.js';

/** Maximum time of a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The parts of the runner that a run's process uses. */
export interface RunHost extends Pick<ReplicaHost, 'admit' | 'as' | 'onRefused'> {
  environmentOf(work: RunAtWork, replicaId: string): NodeJS.ProcessEnv;
  pipesOf(replicaId: string): [stdout: string, stderr: string];
  /** Resolves when the record of a process is on the disk. @throws if it can't be stored */
  keep(work: RunAtWork, replicaId: string, process: ReplicaProcess): Promise<void>;
  forget(replicaId: string): void;
  onOutput(work: RunAtWork, entry: Pick<LogEntry, 'level' | 'message' | 'metadata' | 'timestamp'>): void;
  onEvent(work: RunAtWork, event: string, message: string): void;
}

/** A run in its slot: one process, from its start to the result. */
export class RunAtWork {
  private process: ReplicaProcess | undefined;
  /** When its process started, by `performance.now()`. */
  private startedAt: number | undefined;
  private replicaId: string | undefined;
  private earlyEnd: EarlyEnd | undefined;
  private graceMs: number;
  private words: LastWords;
  private isKeepingWords = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly stored: StoredRun,
    /** Index of the replica whose slot it has. */
    readonly index: number,
    readonly startGeneration: number,
    private readonly config: ProcessConfig,
    private readonly host: RunHost,
  ) {
    this.graceMs = config.stopGraceMs;
    this.words = stored.directory.words();
  }

  get id(): string {
    return this.stored.run.run_id;
  }

  /** Undefined while no process runs. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Starts its process. Resolves with its result; never fails. */
  async carryOut(): Promise<RunResult> {
    const { run, directory } = this.stored;
    const replicaId = crypto.randomUUID();
    try {
      directory.exchange = this.host.as?.makeExchange();
      // before it begins: a runner that is killed from here on doesn't begin it again
      await directory.keep({ run, replica_id: replicaId });
      if (this.earlyEnd) return { status: 'cancelled', error: 'It was ended before it began' };
      directory.writeInput(run.input, this.host.as);
      this.replicaId = replicaId;
      const order = { ...this.orderOf(replicaId, true), input: directory.input };
      this.process = await spawnKept(order, directory, (process) => this.host.keep(this, replicaId, process));
    } catch (error) {
      if (error instanceof RefusedStartError) this.host.onRefused(messageOf(error));
      return { status: 'failed', error: messageOf(error) };
    }
    this.host.onEvent(this, 'run_started', `Run ${run.run_id}: process ${this.process.pid} started`);
    return this.untilEnded(this.process, performance.now());
  }

  /**
   * Takes over the process that an earlier runner has started.
   *
   * @param record of its process, which was running a moment ago
   */
  async resume(record: ProcessRecord): Promise<RunResult> {
    const { run, directory } = this.stored;
    this.replicaId = record.replica_id;
    const process = ReplicaProcess.adopt(record, this.orderOf(record.replica_id, false));
    if (!process) return resultOfLost(directory);
    this.process = process;
    letPass(process, directory);
    this.host.onEvent(
      this,
      'run_adopted',
      `Run ${run.run_id}: process ${process.pid} still runs: taken over`,
    );
    return this.untilEnded(process, startOf(record));
  }

  /** Ends its process: SIGTERM, and SIGKILL after the grace. May be called again, with a shorter grace. */
  end(why: EarlyEnd, graceMs = this.config.stopGraceMs): void {
    this.earlyEnd ??= why;
    this.graceMs = graceMs;
    void this.process?.end(graceMs);
  }

  /** The service asks for its end: a person has cancelled it, or its time is over. */
  endAsTold(): void {
    const { startedAt } = this;
    const isLate = startedAt !== undefined && performance.now() - startedAt >= this.timeoutMs;
    if (!this.earlyEnd) this.end(isLate ? 'timed_out' : 'cancelled');
  }

  /** Forgets its process. Only when the result is on the disk: without either it would be begun again. */
  forget(): void {
    if (this.replicaId !== undefined) this.host.forget(this.replicaId);
  }

  killNow(): void {
    this.earlyEnd ??= 'runner_ended';
    this.process?.signal('SIGKILL');
  }

  private get timeoutMs(): number {
    const { timeout_seconds: own } = this.stored.run;
    return own === null ? this.config.run!.timeoutMs : own * 1_000;
  }

  private async untilEnded(process: ReplicaProcess, startedAt: number): Promise<RunResult> {
    this.startedAt = startedAt;
    // it was told to end while it was being started
    if (this.earlyEnd) void process.end(this.graceMs);
    this.watchTime(startedAt);
    const exit = await process.ended;
    clearTimeout(this.timer);
    this.process = undefined;
    const { directory } = this.stored;
    return resultOf({
      exit: keptExit(directory) ?? exit,
      written: directory.readOutput(),
      words: this.words,
      earlyEnd: this.earlyEnd,
      timeoutSeconds: this.timeoutMs / 1_000,
    });
  }

  private watchTime(startedAt: number): void {
    const leftMs = Math.max(0, startedAt + this.timeoutMs - performance.now());
    const isOver = leftMs <= LONGEST_TIMER_MS;
    this.timer = setTimeout(
      () => (isOver ? this.end('timed_out') : this.watchTime(startedAt)),
      Math.min(leftMs, LONGEST_TIMER_MS),
    );
  }

  private orderOf(replicaId: string, isNew: boolean): ProcessOrder {
    const { directory } = this.stored;
    const env = this.host.environmentOf(this, replicaId);
    const { as, admit } = this.host;
    const { command, cwd } = isNew ? admit(this.config.command, env) : this.config;
    return {
      config: { ...this.config, command, cwd },
      env,
      as,
      // the shell would take the name of a builtin for that
      around: ([program, ...args]) =>
        commandOf([as ? program : findProgram(program, { cwd, env }), ...args], directory),
      pipes: this.host.pipesOf(replicaId),
      onLine: (line, stream) => {
        if (stream === 'stdout' && line.trim() !== '') this.note({ line });
      },
      onOutput: (entry, stream, at) => {
        const reason = errorLineOf(entry);
        if (reason !== undefined) this.note({ [stream]: reason });
        this.host.onOutput(this, { timestamp: new Date(at).toISOString(), ...entryOf(entry, stream) });
      },
    };
  }

  /** Writes the last words down, once for all lines that are read together. */
  private note(words: LastWords): void {
    this.words = { ...this.words, ...words };
    if (this.isKeepingWords) return;
    this.isKeepingWords = true;
    setImmediate(() => {
      this.isKeepingWords = false;
      try {
        this.stored.directory.keepWords(this.words);
      } catch {
        // a full disk, or the run has ended and its directory is removed
      }
    });
  }
}
