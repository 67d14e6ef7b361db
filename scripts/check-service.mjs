// What the checks of CI ask of a service that they have started.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from './project.mjs';

const PATIENCE_MS = 5 * 60_000;

/** @throws Problem when `condition` does not come true within five minutes */
export async function waitFor(what, condition) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Problem(`Not in time: ${what}`);
    await sleep(50);
  }
}

/**
 * The address that a starting service prints.
 *
 * @param {import('node:child_process').ChildProcess} child with its output piped
 * @returns {Promise<string>} `http://127.0.0.1:8000`
 * @throws Problem with all of its output when it ends, or says nothing for too long
 */
export async function announcedAddress(child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  let ended = false;
  child.once('close', () => (ended = true));
  const address = () => /^ *API +(http:\/\/\S+)$/m.exec(output)?.[1];
  try {
    await waitFor('the service prints its address', () => ended || address());
  } catch (error) {
    throw new Problem(`${error.message}\n${output}`);
  }
  if (!address()) throw new Problem(`The service ended:\n${output}`);
  return address();
}

/** @throws Problem when the service does not call itself healthy, and ready to work */
export async function expectHealthy(address) {
  for (const path of ['/health', '/ready', '/openapi.json']) {
    const response = await fetch(`${address}${path}`);
    const body = await response.text();
    if (response.status !== 200) throw new Problem(`GET ${path}: ${response.status} ${body}`);
    if (path === '/health' && JSON.parse(body).database !== 'ready')
      throw new Problem(`GET ${path}: ${body}`);
  }
}
