import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import type { AccountEntry } from './account-entry.js';
import { EntryJoiner } from './entry-joiner.js';
import { LineSplitter } from './line-splitter.js';
import type { OutputStream } from './output-line.js';
import { makePipes, openWriter, OutputPipe, removePipes } from './output-pipe.js';
import type { ProcessConfig } from './process-config.js';
import type { ProcessRecord } from './process-records.js';
import { type Command, startProgram } from './program-start.js';
import { findByEnvironment, identityOf, isAlive, killAtOnce, listProcesses } from './process-table.js';

const LOOK_MS = 200;
const FIRST_LOOK_MS = 10;
/** Time for the last output of an ended process to arrive. */
const LAST_WORDS_MS = 500;

/** The end of a process; both are null if it is unknown, because the process was another runner's child. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOrder {
  readonly config: ProcessConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly pipes: readonly [stdout: string, stderr: string];
  /** Starts it under another account; undefined: under the runner's. */
  readonly as: AccountEntry | undefined;
  /** See {@link StartOptions.around}. */
  readonly around?: (command: Command) => Command;
  /** The file that it gets as standard input; absent: none. */
  readonly input?: string;
  /** `entry` is a line, or the lines of a stack trace; `at` is the time of the first one, milliseconds since 1970. */
  readonly onOutput: (entry: string, stream: OutputStream, at: number) => void;
  /** Called with each line as soon as it is read, and with the beginning of one whose end takes long. */
  readonly onLine?: (line: string, stream: OutputStream) => void;
}

/** One process of a replica, with its process group: everything that it starts and does not remove from the group. */
export class ReplicaProcess {
  /** Resolves when the whole group has ended and its output is read. */
  readonly ended: Promise<Exit>;
  private readonly outputs: OutputPipe[];
  /** By `performance.now()`; 0: nobody has asked for its end. */
  private graceUntil = 0;
  private isGone = false;

  private constructor(
    readonly pid: number,
    readonly identity: string,
    private readonly order: ProcessOrder,
    exit: Promise<Exit>,
    outputs: OutputPipe[],
  ) {
    this.outputs = outputs;
    this.ended = exit.then((how) => this.bury(how));
  }

  /** @throws if there is no such program or directory, or it can't be started */
  static async spawn(order: ProcessOrder): Promise<ReplicaProcess> {
    const { config, env, pipes, as, around } = order;
    await makePipes(pipes);
    // a program may open /dev/stdout, for which the system asks whose the pipe is
    as?.give(pipes, 0o660);
    const writers = pipes.map(openWriter);
    const outputs = readersOf(order);
    let input: number | undefined;
    try {
      if (order.input !== undefined) input = openSync(order.input, 'r');
      const child = await startProgram(config.command, {
        cwd: config.cwd,
        env,
        stdio: [input ?? 'ignore', writers[0]!, writers[1]!],
        // a separate process group: a signal reaches all of it, and signals from the terminal to the runner do not
        detached: true,
        as,
        around,
      }).catch((error: unknown) => {
        throw new Error(`${config.command[0]} ${messageOf(error)}`, { cause: error });
      });
      return new ReplicaProcess(child.pid!, identityOf(child.pid!) ?? '', order, exitOf(child), outputs);
    } catch (error) {
      for (const output of outputs) output.close();
      removePipes(pipes);
      throw error;
    } finally {
      for (const fd of input === undefined ? writers : [...writers, input]) closeSync(fd);
    }
  }

  /** Adopts a process of an earlier runner. @returns undefined if it has ended */
  static adopt(record: ProcessRecord, order: ProcessOrder): ReplicaProcess | undefined {
    if (!isAlive(record.pid, record.identity)) return undefined;
    const exit = untilGone(record.pid, record.identity);
    return new ReplicaProcess(record.pid, record.identity, order, exit, readersOf(order));
  }

  /** Sends SIGTERM to the whole group, and kills the remaining processes after the grace period. */
  async end(graceMs: number): Promise<Exit> {
    this.graceUntil = performance.now() + graceMs;
    this.signal(graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    const timer = setTimeout(() => this.signal('SIGKILL'), graceMs);
    const exit = await this.ended;
    clearTimeout(timer);
    return exit;
  }

  /** Sends a signal to the whole group, unless it has ended: another process may have its number by now. */
  signal(signal: NodeJS.Signals): void {
    if (!this.isGone) this.signalGroup(signal);
  }

  /**
   * Returns true if the group has processes. One that has ended and was not collected yet, as in a container without an
   * init, is still in the group.
   */
  private async hasMembers(): Promise<boolean> {
    return this.signalGroup(0) && (await listProcesses()).some(({ group }) => group === this.pid);
  }

  /**
   * The number of a group is not reused while one of its processes is left, so a process of that number with another
   * start time proves that the group has ended.
   *
   * @returns true if there is such a group; signal 0 only checks
   */
  private signalGroup(signal: NodeJS.Signals | 0): boolean {
    const present = identityOf(this.pid);
    if (present !== undefined && present !== this.identity && this.identity !== '') return false;
    try {
      process.kill(-this.pid, signal);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  }

  /**
   * Gives the processes that it leaves behind the rest of the grace period, and then kills them: a replica never runs
   * twice.
   */
  private async bury(exit: Exit): Promise<Exit> {
    if (this.graceUntil === 0) {
      this.graceUntil = performance.now() + this.order.config.stopGraceMs;
      this.signalGroup('SIGTERM');
    }
    for (
      let pause = FIRST_LOOK_MS;
      (await this.hasMembers()) && performance.now() < this.graceUntil;
      pause *= 2
    )
      await delay(Math.min(pause, LOOK_MS));
    this.signalGroup('SIGKILL');
    this.isGone = true;
    await this.endEscaped();
    await Promise.race([
      Promise.all(this.outputs.map((output) => output.ended)),
      delay(LAST_WORDS_MS, undefined, { ref: false }),
    ]);
    for (const output of this.outputs) output.close();
    await Promise.all(this.outputs.map((output) => output.ended));
    removePipes(this.order.pipes);
    return exit;
  }

  /** Kills processes that have left the group, which are recognised by the mark of this start in their environment. */
  private async endEscaped(): Promise<void> {
    const { REPLICA_ID } = this.order.env;
    if (REPLICA_ID === undefined) return;
    const escaped = await findByEnvironment(['REPLICA_ID', REPLICA_ID], 'REPLICA_ID').catch(() => []);
    for (const { pid } of escaped) killAtOnce(pid);
  }
}

function readersOf({ pipes, onOutput, onLine }: ProcessOrder): OutputPipe[] {
  return pipes.map((path, index) => {
    const stream = index === 0 ? 'stdout' : 'stderr';
    const entries = new EntryJoiner((entry, at) => onOutput(entry, stream, at));
    const lines = new LineSplitter((line, whole) => {
      onLine?.(whole, stream);
      entries.push(line);
    });
    const pipe = new OutputPipe(path, (chunk) => lines.push(chunk));
    void pipe.ended.then(() => {
      lines.end();
      entries.flush();
    });
    return pipe;
  });
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}

async function untilGone(pid: number, identity: string): Promise<Exit> {
  while (isAlive(pid, identity)) await delay(LOOK_MS);
  return { code: null, signal: null };
}
