import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../fleet/free-port.js';
import { askProbe, PROBE } from './ask-probe.js';
import type { ProcessUsage } from './probe.js';

const START_TIMEOUT_MS = 60_000;
/** Timeout for the end, beyond the drain time of each program. */
const END_TIMEOUT_MS = 20_000;
const READY_CHECK_MS = 10;

interface ProgramOptions {
  readonly args?: readonly string[];
  /** The bench's own when absent. */
  readonly cwd?: string;
  readonly readyPath?: string;
}

/** A measured server in a process of its own: an instance of the service, or a limit server. */
export class Program {
  private constructor(
    readonly url: string,
    /** From the start of the process to the first 200 of `/ready`; milliseconds. */
    readonly startMs: number,
    private readonly child: ChildProcess,
  ) {}

  /**
   * @param main path of the built file
   * @param environment its settings; `HOST` and `PORT` are added
   * @param options.readyPath answers 200 when the program is ready
   * @throws when it ends, or is not ready within a minute
   */
  static async start(
    main: string,
    environment: Readonly<Record<string, string>>,
    { args = [], cwd, readyPath = '/ready' }: ProgramOptions = {},
  ): Promise<Program> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const begunAt = performance.now();
    const child = spawn(process.execPath, ['--import', PROBE, main, ...args], {
      cwd,
      env: { PATH: process.env.PATH, ...environment, HOST: '127.0.0.1', PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    while (!(await isReady(`${url}${readyPath}`))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${main} ended with ${child.exitCode ?? child.signalCode}`);
      if (performance.now() - begunAt > START_TIMEOUT_MS) {
        child.kill('SIGKILL');
        throw new Error(`${main} is not ready within ${START_TIMEOUT_MS / 1_000} s`);
      }
      await delay(READY_CHECK_MS);
    }
    return new Program(url, performance.now() - begunAt, child);
  }

  usage(): Promise<ProcessUsage> {
    return askProbe(this.child, { probe: 'usage' });
  }

  /** Starts to measure the delays of the event loop, which takes a timer. */
  async watchTurns(): Promise<void> {
    await askProbe(this.child, { probe: 'watch turns' });
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
    const hung = setTimeout(() => this.child.kill('SIGKILL'), END_TIMEOUT_MS);
    await ended;
    clearTimeout(hung);
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
}
