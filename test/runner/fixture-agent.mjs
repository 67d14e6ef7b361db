// A program for `svc run`: it reports its identity, and behaves as its arguments say.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:net';

const [task, argument] = process.argv.slice(2);
const { AGENT_ID, DEPLOYMENT_ID, GENERATION, REPLICA_INDEX, REPLICA_ID, PORT, GREETING, SERVICE_AGENT_KEY } =
  process.env;
const self = {
  AGENT_ID,
  DEPLOYMENT_ID,
  GENERATION,
  REPLICA_INDEX,
  PORT,
  GREETING,
  SERVICE_AGENT_KEY,
  pid: process.pid,
};
const say = (line) => process.stdout.write(`${line}\n`);
const stay = () => setInterval(() => undefined, 60_000);

const tasks = {
  /** Records when it begins and ends. */
  diary() {
    const note = (what) =>
      appendFileSync(argument, `${what} ${REPLICA_INDEX} ${process.pid} ${REPLICA_ID}\n`);
    process.on('SIGTERM', () => {
      note('end');
      say('good bye');
      process.exit(0);
    });
    // from here on it handles SIGTERM
    note('start');
    say(JSON.stringify({ level: 'info', message: 'hello', self }));
    stay();
  },
  /** Prints numbered lines repeatedly. */
  count() {
    let n = 0;
    setInterval(() => say(`line ${(n += 1)}`), Number(argument));
  },
  /** Prints numbered lines after a SIGUSR2. */
  countWhenTold() {
    process.once('SIGUSR2', () => tasks.count());
    say('listening');
    stay();
  },
  /** Prints many lines, and a last one at the end. */
  burst() {
    const line = `${'x'.repeat(99)}\n`;
    for (let n = 0; n < Number(argument); n += 1) process.stdout.write(line);
    process.stderr.write('all written\n');
    stay();
  },
  listen() {
    createServer().listen(Number(PORT), '127.0.0.1');
  },
  /** Starts a process in a separate process group. */
  escape() {
    const task = [import.meta.filename, 'stubborn'];
    const { pid } = spawn(process.execPath, task, { detached: true, stdio: 'ignore' });
    say(`escaped ${pid}`);
    stay();
  },
  /** Ignores SIGTERM. */
  stubborn() {
    process.on('SIGTERM', () => say('no'));
    say('stubborn');
    stay();
  },
};
tasks[task]();
