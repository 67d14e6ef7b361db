import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../fleet/free-port.js';
import { askProbe, PROBE } from './ask-probe.js';
import type { ProcessUsage } from './probe.js';

const START_TIMEOUT_MS = 60_000;
const READY_CHECK_MS = 10;

/** A measured server in a process of its own: an instance of the service, or a limit server. */
export class Program {
  private constructor(
    readonly url: string,
    /** From the start of the process to the first 200 of `/ready`; milliseconds. */
    readonly startMs: number,
    private readonly child: ChildProcess,
  ) {}

  /**
   * @param main the built file
   * @param environment its settings; `HOST` and `PORT` are added
   * @throws when it ends, or is not ready within a minute
   */
  static async start(main: URL, environment: Readonly<Record<string, string>>): Promise<Program> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const begunAt = performance.now();
    const child = spawn(process.execPath, ['--import', PROBE, fileURLToPath(main)], {
      env: { PATH: process.env.PATH, ...environment, HOST: '127.0.0.1', PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    while (!(await isReady(url))) {
      if (child.exitCode !== null) throw new Error(`${main.pathname} ended with ${child.exitCode}`);
      if (performance.now() - begunAt > START_TIMEOUT_MS) {
        child.kill('SIGKILL');
        throw new Error(`${main.pathname} is not ready within ${START_TIMEOUT_MS / 1_000} s`);
      }
      await delay(READY_CHECK_MS);
    }
    return new Program(url, performance.now() - begunAt, child);
  }

  usage(): Promise<ProcessUsage> {
    return askProbe(this.child, { probe: 'usage' });
  }

  async startProfile(): Promise<void> {
    await askProbe(this.child, { probe: 'start profile' });
  }

  /** Writes a CPU profile that Chrome's developer tools open. */
  async writeProfile(file: string): Promise<void> {
    await askProbe(this.child, { probe: 'write profile', file });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/ready`).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
}
