// The built service on a data folder of its own, for checks outside of the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announcedAddresses } from './check-service.mjs';
import { root } from './project.mjs';

/**
 * Runs the built service on a separate database, and ends it afterwards.
 *
 * @template Result
 * @param {(url: string) => Promise<Result>} play gets the address of the API
 * @returns {Promise<Result>}
 */
export async function withBuiltService(play) {
  const data = await mkdtemp(join(tmpdir(), 'built-service-'));
  const service = spawn(process.execPath, ['dist/service/main.js'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      WEB_PORT: '0',
      DATA_DIR: data,
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'pretty',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const [url] = await announcedAddresses(service, ['API']);
    return await play(url);
  } finally {
    if (service.exitCode === null) {
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
    await rm(data, { recursive: true, force: true });
  }
}
