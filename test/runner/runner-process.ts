import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '../../packages/svc/src/runner/processes/process-table.js';
import { SvcProcess } from '../cli/running-svc.js';
import { PROGRAM } from '../cli/svc.js';
import { until } from '../harness/until.js';
import { Runner } from './runner.js';

/** `svc run` as a process of its own, from the built files. */
export class RunnerProcess extends Runner<SvcProcess> {
  /**
   * @param variables all of its environment
   * @param through the program that starts it, and its arguments; nothing does by default
   */
  static start(
    variables: Readonly<Record<string, string | undefined>>,
    args: readonly string[],
    through: readonly string[] = [],
  ): RunnerProcess {
    const [program, ...rest] = [...through, process.execPath, PROGRAM, 'run', ...args];
    const child = spawn(program!, rest, { env: variables, stdio: ['ignore', 'pipe', 'pipe'] });
    return new RunnerProcess(new SvcProcess(child, () => undefined));
  }

  get process(): ChildProcess {
    return this.svc.process;
  }

  /** @returns its exit code, -2 if the signal has ended it */
  override async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    this.process.kill(signal);
    return (await this.ended()).code;
  }

  /** Told twice, it does not wait for its processes. */
  override async dismiss(): Promise<void> {
    this.process.kill('SIGTERM');
    await until(() => this.isOver || this.count('ending') > 0);
    await this.end();
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
