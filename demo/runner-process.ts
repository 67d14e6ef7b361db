import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SVC = fileURLToPath(new URL('../../packages/svc/bin/svc.mjs', import.meta.url));

export interface RunnerOptions {
  readonly url: string;
  readonly key: string;
  readonly stateDir: string;
  readonly logFile: string;
}

/** `svc run` of one agent. What it prints goes into a file. */
export class RunnerProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor({ url, key, stateDir, logFile }: RunnerOptions) {
    const log = openSync(logFile, 'a', 0o600);
    this.child = spawn(process.execPath, [SVC, 'run', '--state-dir', stateDir], {
      env: { ...process.env, SERVICE_API_URL: url, SERVICE_AGENT_KEY: key },
      stdio: ['ignore', log, log],
      // a Ctrl-C reaches the demo alone, which tells it once: a second signal would make it end without a word
      detached: true,
    });
    closeSync(log);
    this.ended = once(this.child, 'exit');
  }

  /** Whether it has ended by itself. */
  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}
