import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../bench/fleet/free-port.js';
import { START_PATIENCE_MS } from './child-service.js';
import { printedBy } from './secrets-made.js';
import { until } from './until.js';

/** The web server in a separate process, with the built dashboard. */
export interface ChildWeb {
  readonly url: string;
  readonly process: ChildProcess;
  /** All of its output. */
  output(): string;
  /** Ends the process and waits until all of its output was read. @returns its exit code, null after a signal */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** @param settings environment variables in addition to the tests' own, with `SERVICE_URL` */
export async function startChildWeb(settings: Readonly<Record<string, string>>): Promise<ChildWeb> {
  const port = Number(settings.WEB_PORT ?? (await freePort()));
  const child = spawn(process.execPath, ['dist/src/web/main.js'], {
    env: { PATH: process.env.PATH, WEB_PORT: String(port), LOG_LEVEL: 'trace', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = printedBy('the output of a web server', child);
  // its output may arrive after its end
  const gone = once(child, 'close');
  const url = `http://127.0.0.1:${port}`;
  await until(() => {
    if (child.exitCode !== null) throw new Error(`The web server ended:\n${output()}`);
    return output().includes('"ready"');
  }, START_PATIENCE_MS).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    process: child,
    output,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      const [code] = (await gone) as [number | null];
      return code;
    },
  };
}
