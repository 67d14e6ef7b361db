import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../bench/fleet/free-port.js';
import { ApiClient } from './api-client.js';
import { collectSecrets, printedBy } from './secrets-made.js';
import { SETUP_TOKEN } from './setup-token.js';
import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

/** The service in a separate process, for tests that would harm the process of the test. */
export interface ChildService {
  readonly url: string;
  readonly api: ApiClient;
  readonly process: ChildProcess;
  /**
   * All of its output: its log, at the level `info` and above unless `LOG_LEVEL` is set. At its end, that is compared
   * with the secrets of the suite.
   */
  output(): string;
  /** Ends the process and waits for its end. @returns its exit code, null after a signal */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** A separate process has to be loaded first: seconds, and ten times as many on a machine with other work to do. */
export const START_PATIENCE_MS = 60_000;

/** The address for `DATABASE_URL`. */
export function urlOf({ host, port, user, database }: TestDatabase['target']): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

/**
 * Starts the built service and waits until it listens, not until it is ready.
 *
 * @param settings environment variables in addition to the tests' own, with `DATABASE_URL` or `DATA_DIR`; without
 * `PORT` it gets a free one
 * @param options.older path of the compiled `main.js` of an older version; absent: this version
 * @param options.flags of V8
 */
export async function startChildService(
  settings: Readonly<Record<string, string>>,
  { older, flags = [] }: { older?: string | undefined; flags?: readonly string[] } = {},
): Promise<ChildService> {
  const port = Number(settings.PORT ?? (await freePort()));
  const child = spawn(process.execPath, [...flags, older ?? 'dist/service/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      // its log is compared with the secrets of the suite
      LOG_LEVEL: 'info',
      BCRYPT_COST: '4',
      DATABASE_LOCK_TIMEOUT_SECONDS: '15',
      SETUP_TOKEN,
      JWT_SECRET: 'a secret for tests, of more than thirty-two bytes',
      MONITOR_INTERVAL_SECONDS: '300',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  collectSecrets(settings);
  child.stderr.pipe(process.stderr, { end: false });
  const output = printedBy('the output of a service', child);
  const gone = once(child, 'close');
  const url = `http://127.0.0.1:${port}`;
  const api = new ApiClient(url, undefined, older !== undefined);
  const isListening = () =>
    api.get('/health').then(
      () => true,
      () => {
        if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}`);
        return false;
      },
    );
  await until(isListening, START_PATIENCE_MS).catch((error: unknown) => {
    // otherwise nothing would end it, and Jest would wait for it
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    api,
    process: child,
    output,
    async end(signal) {
      child.kill(signal);
      const [code] = (await gone) as [number | null];
      return code;
    },
  };
}
