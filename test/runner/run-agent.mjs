// A program for runs of `svc run`: it behaves as its input says.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const { RUN_ID, RUN_ATTEMPT, RUN_NAME, CONVERSATION_ID, TRACEPARENT, RUN_INPUT, RUN_OUTPUT, HOME } =
  process.env;
const given = JSON.parse(await text(process.stdin));
const say = (line) => process.stdout.write(`${line}\n`);
const note = (what) => appendFileSync(`${HOME}/diary`, `${what} ${RUN_ID} ${RUN_ATTEMPT} ${process.pid}\n`);

const tasks = {
  /** Reports what it got. */
  tell() {
    const file = JSON.parse(readFileSync(RUN_INPUT, 'utf8'));
    say('at work');
    say(
      JSON.stringify({
        file,
        RUN_NAME,
        CONVERSATION_ID,
        TRACEPARENT,
        SERVICE_AGENT_KEY: process.env.SERVICE_AGENT_KEY,
      }),
    );
  },
  write() {
    writeFileSync(RUN_OUTPUT, given.text.repeat(given.times ?? 1));
    say('"not this"');
  },
  chat() {
    say('hello there');
  },
  fail() {
    process.stderr.write('no paper\n');
    process.exitCode = 3;
  },
  /** Works until there is a file. */
  wait() {
    note('start');
    process.on('SIGTERM', () => {
      note('term');
      process.exit(given.code ?? 1);
    });
    const timer = setInterval(() => {
      try {
        const word = readFileSync(`${HOME}/${given.go ?? 'go'}`, 'utf8');
        clearInterval(timer);
        note('end');
        say(JSON.stringify({ word }));
        process.exitCode = given.code ?? 0;
      } catch {
        // not yet
      }
    }, 20);
  },
  /** Ignores SIGTERM, and so does its child. */
  stubborn() {
    const stay = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 60_000)";
    const child = spawn(process.execPath, ['-e', stay], { stdio: 'ignore' });
    process.on('SIGTERM', () => say('no'));
    note(`child ${child.pid}`);
    note('start');
    setInterval(() => undefined, 60_000);
  },
};
tasks[given.task]();
