import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));
const ANNOUNCED = /^ *(Web|API) +(http:\/\/\S+)$/;

/** Where the company lives. */
export interface Place {
  readonly url: string;
  /** Null: no dashboard was found. */
  readonly web: string | null;
}

async function answers(
  address: string,
  isOurs: (body: Record<string, unknown>) => boolean,
): Promise<boolean> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(5_000) });
    return response.ok && isOurs((await response.json()) as Record<string, unknown>);
  } catch {
    return false;
  }
}

/** Another program may listen at the address. */
export function isService(url: string): Promise<boolean> {
  return answers(`${url}/auth/methods`, (body) => typeof body.creates_operator === 'boolean');
}

export function isDashboard(web: string): Promise<boolean> {
  return answers(`${web}/api/dashboard/health`, (body) => 'database' in body);
}

/** `npm start` as a part of the demo: the service and the dashboard, with the same settings and the same data. */
export class ServiceProcess {
  /** Rejects when it ends. */
  readonly failed: Promise<never>;

  private constructor(
    private readonly child: ChildProcess,
    readonly place: Place,
  ) {
    this.failed = once(child, 'exit').then(() => {
      throw new Error('The service has ended');
    });
    // it is expected to end with the demo
    this.failed.catch(() => undefined);
  }

  /** @throws Error if it ends before it serves */
  static async start(): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [START], {
      // the agents have ended before it: nobody has a request under way that is worth the wait
      env: { LOG_LEVEL: 'warn', DRAIN_TIMEOUT_SECONDS: '2', ...process.env },
      stdio: ['ignore', 'pipe', 'inherit'],
      // a Ctrl-C reaches the demo alone, which ends the agents first
      detached: true,
    });
    const found = new Map<string, string>();
    const place = new Promise<Place>((resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        const [, name, address] = ANNOUNCED.exec(line) ?? [];
        if (!name) return void (found.size < 2 && process.stderr.write(`${line}\n`));
        found.set(name, address!);
        const [url, web] = [found.get('API'), found.get('Web')];
        if (url && web) resolve({ url: onLoopback(url), web: onLoopback(web) });
      });
      child.once('exit', () => reject(new Error('The service did not start: see above')));
    });
    return new ServiceProcess(child, await place);
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async stop(): Promise<void> {
    if (this.isOver) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** Of a server that listens at every address. */
function onLoopback(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
