import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PATIENCE_MS = 60_000;

export async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/ready`).then(
    (response) => response.ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A service of the demo's own, on a free port and a fresh data directory that goes with it. */
export class ServiceProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly dataDir: string,
  ) {}

  static async start(): Promise<ServiceProcess> {
    const port = await freePort();
    const dataDir = await mkdtemp(join(tmpdir(), 'control-plane-demo-'));
    // Started by root, PostgreSQL runs as another user, which needs to enter this directory.
    await chmod(dataDir, 0o711);
    const child = spawn(process.execPath, [fileURLToPath(new URL('../service/main.js', import.meta.url))], {
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: String(port),
        DATA_DIR: dataDir,
        DATABASE_URL: '',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const service = new ServiceProcess(`http://127.0.0.1:${port}`, child, dataDir);
    const end = Date.now() + PATIENCE_MS;
    while (!(await isReady(service.url))) {
      if (child.exitCode !== null || Date.now() > end) {
        await service.stop();
        throw new Error('The service did not start');
      }
      await delay(100);
    }
    return service;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGTERM');
      await ended;
    }
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
