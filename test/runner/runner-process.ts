import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { RuntimeEvent } from '@agent-control-plane/client/runtime';
import { identityOf } from '../../packages/svc/src/runner/processes/process-table.js';
import { PROGRAM } from '../cli/svc.js';
import { collectSecrets, printedBy } from '../harness/secrets-made.js';
import { until } from '../harness/until.js';

/** `svc run` as a process of its own, from the built files. */
export class RunnerProcess {
  readonly events: RuntimeEvent[] = [];
  readonly ended: Promise<number | null>;
  readonly errors: Promise<string>;
  /** It has ended, and all that it has said is there. */
  private isOver = false;

  private constructor(readonly process: ChildProcess) {
    createInterface({ input: process.stdout! }).on('line', (line) =>
      this.events.push(JSON.parse(line) as RuntimeEvent),
    );
    this.errors = text(process.stderr!);
    this.ended = once(process, 'close').then(([code]) => {
      this.isOver = true;
      return code as number | null;
    });
  }

  /** @param variables on top of what any process needs; `HOME` among them */
  static start(
    variables: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    /** What starts it; nothing does by default. */
    through: readonly string[] = [],
  ): RunnerProcess {
    const [program, ...rest] = [...through, process.execPath, PROGRAM, 'run', ...args];
    const child = spawn(program!, rest, {
      env: { PATH: process.env.PATH, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    collectSecrets(variables);
    printedBy('the output of svc run', child);
    return new RunnerProcess(child);
  }

  /** Waits for an event. @param after how many of all events came before it @returns the event */
  async next(event: string, after = 0): Promise<RuntimeEvent> {
    return until(() => {
      const found = this.events.slice(after).find((it) => it.event === event);
      if (!found && this.isOver) throw new Error('The runner has ended');
      return found;
    });
  }

  count(event: string): number {
    return this.events.filter((it) => it.event === event).length;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.process.kill(signal);
    return this.ended;
  }

  /** Ends it when nothing hangs on how: told twice, it does not wait for its processes. */
  async dismiss(): Promise<void> {
    this.process.kill('SIGTERM');
    await until(() => this.isOver || this.count('ending') > 0);
    this.process.kill('SIGTERM');
    await this.ended;
  }
}

/** A home directory of a test's own. */
export function makeHome(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'runner-home-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Whether there is such a process, and not only what is left of it. */
export function isRunning(pid: number): boolean {
  return identityOf(pid) !== undefined;
}
