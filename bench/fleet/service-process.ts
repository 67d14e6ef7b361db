import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { askProbe, PROBE } from '../speed/ask-probe.js';
import type { ProbeQuestion, ProcessUsage } from '../speed/probe.js';
import { freePort } from './free-port.js';
import type { Ending } from './stage.js';

const START_TIMEOUT_MS = 60_000;
/** Timeout for the end, beyond the service's own drain time. */
const END_TIMEOUT_MS = 60_000;
const WARNING = 40;

/** One instance of the service, in a process of its own that can be killed and started again on the same port. */
export class ServiceProcess {
  readonly url: string;
  /** Counts of the lines logged as warnings or worse. */
  readonly warnings = new Map<string, number>();
  private child: ChildProcess | undefined;

  private constructor(
    private readonly main: string,
    private readonly port: number,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly isProbed: boolean,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /**
   * @param main path of the built `main.js`
   * @param environment the service's settings
   * @param isProbed whether {@link ask} will be called; the probe costs memory and time
   */
  static async start(
    main: string,
    environment: Readonly<Record<string, string>>,
    isProbed = false,
  ): Promise<ServiceProcess> {
    const service = new ServiceProcess(main, await freePort(), environment, isProbed);
    await service.start();
    return service;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    const flags = this.isProbed ? ['--import', PROBE] : [];
    const child = spawn(process.execPath, [...flags, this.main], {
      env: {
        PATH: process.env.PATH,
        LOG_LEVEL: 'warn',
        LOG_FORMAT: 'json',
        ...this.environment,
        HOST: '127.0.0.1',
        PORT: String(this.port),
      },
      // With a channel to its parent it ends by itself when the parent is gone, however that one ended.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    this.child = child;
    createInterface({ input: child.stdout! }).on('line', (line) => this.read(line));
    const end = Date.now() + START_TIMEOUT_MS;
    while (!(await this.isReady())) {
      if (child.exitCode !== null)
        throw new Error(`The service ended with ${child.exitCode} instead of starting`);
      if (Date.now() > end) throw new Error('The service does not get ready');
      await delay(50);
    }
  }

  ask(question: ProbeQuestion): Promise<ProcessUsage> {
    if (!this.child) throw new Error('The service does not run');
    return askProbe(this.child, question);
  }

  /** Kills the process, as a crash would. */
  async kill(): Promise<void> {
    await this.finish('SIGKILL');
  }

  async stop(): Promise<Ending> {
    return this.finish('SIGTERM');
  }

  private async finish(signal: NodeJS.Signals): Promise<Ending> {
    const child = this.child;
    const begunAt = performance.now();
    if (!child) return { exitCode: 0, tookMs: 0 };
    this.child = undefined;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill(signal);
      const hung = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await ended;
      clearTimeout(hung);
    }
    return { exitCode: child.exitCode, tookMs: performance.now() - begunAt };
  }

  private async isReady(): Promise<boolean> {
    return fetch(`${this.url}/ready`).then(
      (response) => response.ok,
      () => false,
    );
  }

  private read(line: string): void {
    if (!line.startsWith('{')) return;
    const { level, msg, err } = JSON.parse(line) as { level: number; msg: string; err?: { message: string } };
    if (level < WARNING) return;
    const text = err ? `${msg}: ${err.message}` : msg;
    this.warnings.set(text, (this.warnings.get(text) ?? 0) + 1);
  }
}
