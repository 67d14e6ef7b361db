import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Program } from '../../packages/svc/src/cli/program.js';
import { expectNoLastingSecretIn, expectNoSecretIn } from '../harness/secrets-made.js';
import { until } from '../harness/until.js';

export interface Outcome {
  /** -2 for an interrupted command, and for a process that a signal has ended. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const INTERRUPTED = -2;

/** A running command. */
export abstract class RunningSvc {
  stdout = '';
  stderr = '';
  /** True when it has ended and all of its output was read. */
  isOver = false;
  private readonly gone: Promise<number>;

  /**
   * @param code its exit code, when all of its output can be read
   * @param beforeItsEnd called before the output is compared with the secrets of the suite
   */
  protected constructor(stdout: Readable, stderr: Readable, code: Promise<number>, beforeItsEnd: () => void) {
    stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.gone = code.then((it) => {
      this.isOver = true;
      beforeItsEnd();
      expectNoSecretIn('the standard error of svc', this.stderr);
      expectNoLastingSecretIn('the standard output of svc', this.stdout);
      return it;
    });
  }

  protected abstract interrupt(): void;

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  /** Waits until this many lines have been printed. */
  async prints(count: number): Promise<string[]> {
    await this.comesTo(() => this.lines.length >= count);
    return this.lines;
  }

  /** Waits until standard error contains a text. */
  async says(text: string): Promise<void> {
    await this.comesTo(() => this.stderr.includes(text));
  }

  /** Waits for a condition that only a running command can meet. */
  async comesTo(condition: () => boolean): Promise<void> {
    await until(() => {
      if (condition()) return true;
      if (this.isOver) throw new Error(`svc has ended: ${this.stderr}`);
      return false;
    });
  }

  async ended(): Promise<Outcome> {
    const code = await this.gone;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  /** Ends it like Ctrl-C. */
  async interrupted(): Promise<Outcome> {
    this.interrupt();
    return this.ended();
  }
}

/** A command in this process. */
export class SvcHere extends RunningSvc {
  private readonly interruption: AbortController;

  constructor(
    args: readonly string[],
    input: string,
    environment: Readonly<Record<string, string | undefined>>,
    beforeItsEnd: () => void,
  ) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const interruption = new AbortController();
    const program = new Program({
      streams: { stdin: Readable.from([input]), stdout, stderr },
      environment,
      interruption: interruption.signal,
      hurry: () => new AbortController().signal,
    });
    const code = program.run(args).then(async (it) => {
      for (const stream of [stdout, stderr]) stream.end();
      await Promise.all([finished(stdout), finished(stderr)]);
      return typeof it === 'number' ? it : INTERRUPTED;
    });
    super(stdout, stderr, code, beforeItsEnd);
    this.interruption = interruption;
  }

  protected interrupt(): void {
    this.interruption.abort();
  }
}

/** A command in a separate process, for tests of signals, pipes and exit codes. */
export class SvcProcess extends RunningSvc {
  constructor(
    readonly process: ChildProcess,
    beforeItsEnd: () => void,
  ) {
    const code = once(process, 'close').then(([exitCode]) => (exitCode as number | null) ?? INTERRUPTED);
    super(process.stdout!, process.stderr!, code, beforeItsEnd);
  }

  protected interrupt(): void {
    this.process.kill('SIGINT');
  }
}
