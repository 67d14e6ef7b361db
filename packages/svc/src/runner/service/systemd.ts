import { execFile } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { findProgram } from '../processes/program-start.js';
import { MARK } from './unit-text.js';

const run = promisify(execFile);
/** Units of the machine's owner. */
const UNITS = '/etc/systemd/system';

/** A program that has not ended with 0, or was not started. */
type Failed = Error & { readonly stderr?: string };

/** The service can't be installed or removed; the message says why. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

/** A unit of systemd that `svc run install` writes. */
export class SystemdUnit {
  readonly path: string;

  /** @param unit name without `.service` */
  constructor(
    private readonly unit: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {
    this.path = join(UNITS, `${unit}.service`);
  }

  /** Writes the unit and starts it, or restarts it if it runs. @throws ServiceError */
  async install(text: string): Promise<void> {
    this.assertOwn();
    this.program('systemctl');
    await this.verify(text);
    await replaceFile(this.path, text, 0o644);
    await this.systemctl('daemon-reload');
    await this.systemctl('enable', `${this.unit}.service`);
    await this.systemctl('restart', `${this.unit}.service`);
  }

  /** Stops the unit and removes it. Its state stays. @throws ServiceError */
  async uninstall(): Promise<void> {
    if (!this.assertOwn()) throw new ServiceError(`There is no ${this.path}: name another one with --name`);
    await this.systemctl('disable', '--now', `${this.unit}.service`);
    rmSync(this.path);
    await this.systemctl('daemon-reload');
  }

  /** @returns whether it is there @throws ServiceError if another person has written it */
  private assertOwn(): boolean {
    const stats = lstatSync(this.path, { throwIfNoEntry: false });
    if (!stats) return false;
    if (stats.isFile() && readFileSync(this.path, 'utf8').startsWith(MARK)) return true;
    throw new ServiceError(`${this.path} was not created by svc run install: name another one with --name`);
  }

  /** Lets systemd read the unit, where it has the program for that. */
  private async verify(text: string): Promise<void> {
    const directory = mkdtempSync(join(tmpdir(), 'svc-unit-'));
    try {
      const analyze = findProgram('systemd-analyze', { cwd: undefined, env: this.environment });
      const file = join(directory, `${this.unit}.service`);
      writeFileSync(file, text);
      const { stderr } = await run(analyze, ['verify', file]).catch((error: Failed) => ({
        stderr: error.stderr ?? error.message,
      }));
      // the units that it wants may have faults of their own
      const faults = stderr.split('\n').filter((line) => line.includes(`${this.unit}.service`));
      if (faults.length > 0) throw new ServiceError(`systemd does not take the unit: ${faults.join('; ')}`);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      // the program is not there
    } finally {
      rmSync(directory, { recursive: true });
    }
  }

  private async systemctl(...args: readonly string[]): Promise<void> {
    await run(this.program('systemctl'), args).catch((error: Failed) => {
      const reason = error.stderr?.trim() || error.message;
      throw new ServiceError(`systemctl ${args.join(' ')} has failed: ${reason}`);
    });
  }

  private program(name: string): string {
    try {
      return findProgram(name, { cwd: undefined, env: this.environment });
    } catch {
      throw new ServiceError(`${name} is not there: svc run install needs systemd; --print shows the unit`);
    }
  }
}
