// Requests and waits for a running service, which several checks of CI use.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from './project.mjs';

const PATIENCE_MS = 5 * 60_000;

/** Waits for a condition. @throws Problem if it is not met within five minutes */
export async function waitFor(what, condition) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Problem(`Not in time: ${what}`);
    await sleep(50);
  }
}

/**
 * The addresses that starting servers print.
 *
 * @param {import('node:child_process').ChildProcess} child with its output piped
 * @param {readonly string[]} names the words before the addresses
 * @returns {Promise<string[]>} one for each name: `http://127.0.0.1:8000`
 * @throws Problem with its output if it ends, or prints no address in time
 */
export async function announcedAddresses(child, names) {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  let ended = false;
  child.once('close', () => (ended = true));
  const addresses = () =>
    names.flatMap((name) => new RegExp(`^ *${name} +(http://\\S+)$`, 'm').exec(output)?.[1] ?? []);
  const isComplete = () => addresses().length === names.length;
  try {
    await waitFor(`it prints its address (${names})`, () => ended || isComplete());
  } catch (error) {
    throw new Problem(`${error.message}\n${output}`);
  }
  if (!isComplete()) throw new Problem(`It ended:\n${output}`);
  return addresses();
}

/** Checks `/health` and `/ready`. @throws Problem if one is not as expected */
export async function expectHealthy(address) {
  for (const path of ['/health', '/ready', '/openapi.json']) {
    const response = await fetch(`${address}${path}`);
    const body = await response.text();
    if (response.status !== 200) throw new Problem(`GET ${path}: ${response.status} ${body}`);
    if (path === '/health' && JSON.parse(body).database !== 'ready')
      throw new Problem(`GET ${path}: ${body}`);
  }
}

/** Checks the dashboard. @throws Problem if it is not served, or the web server can't reach the service */
export async function expectDashboard(address) {
  const page = await fetch(address);
  const html = await page.text();
  if (page.status !== 200 || !html.includes('<div id="root">'))
    throw new Problem(`GET /: ${page.status} ${html}`);
  const [script] = /\/assets\/[^"]+\.js/.exec(html) ?? [];
  const asset = await fetch(`${address}${script}`);
  if (asset.status !== 200) throw new Problem(`GET ${script}: ${asset.status}`);
  const guide = await fetch(`${address}/docs/guide/operations`);
  if (guide.status !== 200 || !(await guide.text()).includes('</main>'))
    throw new Problem(`GET /docs/guide/operations: ${guide.status}`);
  const health = await fetch(`${address}/api/dashboard/health`);
  const body = await health.text();
  if (health.status !== 200 || JSON.parse(body).database !== 'ready')
    throw new Problem(`GET /api/dashboard/health: ${health.status} ${body}`);
}
