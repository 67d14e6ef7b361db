import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { identityOf } from '../../src/runner/processes/process-table.js';
import type { RuntimeEvent } from '../../src/runner/runtime-events.js';
import { until } from '../harness/until.js';

/** `svc run` as a process of its own, from the built files. */
export class RunnerProcess {
  readonly events: RuntimeEvent[] = [];
  readonly ended: Promise<number | null>;
  readonly errors: Promise<string>;

  private constructor(readonly process: ChildProcess) {
    createInterface({ input: process.stdout! }).on('line', (line) =>
      this.events.push(JSON.parse(line) as RuntimeEvent),
    );
    this.errors = text(process.stderr!);
    this.ended = once(process, 'exit').then(([code]) => code as number | null);
  }

  /** @param variables on top of what any process needs; `HOME` among them */
  static start(variables: Readonly<Record<string, string>>, args: readonly string[] = []): RunnerProcess {
    const child = spawn(process.execPath, ['dist/src/cli/main.js', 'run', ...args], {
      env: { PATH: process.env.PATH, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new RunnerProcess(child);
  }

  /** Waits for an event that was not there before. @returns the event */
  async next(event: string, after = 0): Promise<RuntimeEvent> {
    return until(() => {
      if (this.process.exitCode !== null) throw new Error(`The runner ended with ${this.process.exitCode}`);
      return this.events.slice(after).find((it) => it.event === event);
    });
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.process.kill(signal);
    return this.ended;
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
