import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { CHILD_PARAMETER, CHILD_PATH, END_PARAMETER, PROGRAM_PATH } from './replica-paths.js';

/**
 * A replica for the conformance script: it holds a connection, by which its life is observed, and writes a line now and
 * then, so that there is output to log. It reports SIGTERM. The end of its answer is the end of its work, and a broken
 * connection is a crash. Where its address asks for it, it starts a process that only holds a connection, and does not
 * end it.
 */
const address = process.argv[2] ?? process.env.CONFORMANCE_REPLICA_URL;
if (!address) throw new Error('The address to hold on to is missing');
const url = new URL(address);
const isChild = url.pathname === CHILD_PATH;
const hasChild = !isChild && url.searchParams.has(CHILD_PARAMETER);
if (!isChild) url.pathname = PROGRAM_PATH;
if (hasChild) {
  const child = new URL(CHILD_PATH, url).href;
  spawn(process.execPath, [process.argv[1]!, child], { stdio: 'ignore' }).unref();
}
const crash = () => process.exit(1);
let isEnding = false;
const connection = request(url, { method: 'POST' }, (response) => {
  response
    .resume()
    .on('end', () => process.exit(0))
    .on('close', () => {
      if (!isEnding) crash();
    });
  if (isChild) return;
  let lines = 0;
  process.stdout.on('error', () => undefined);
  process.stdout.write('replica started\n');
  setInterval(() => process.stdout.write(`replica is at work, line ${++lines}\n`), 400);
});
connection.on('error', crash).flushHeaders();
if (!isChild)
  process.once('SIGTERM', () => {
    isEnding = true;
    connection.write('asked to end\n', () => {
      void delay(Number(url.searchParams.get(END_PARAMETER) ?? 0)).then(() => process.exit(0));
    });
  });
