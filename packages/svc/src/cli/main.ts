import { constants } from 'node:os';
import { EXIT } from './failures.js';
import { Program } from './program.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const interruption = new AbortController();
let interruptedBy: NodeJS.Signals | undefined;
const program = new Program({
  streams: process,
  environment: process.env,
  interruption: interruption.signal,
  hurry: onSecondSignal,
});

for (const signal of SIGNALS) {
  // `once`: a second signal ends the process at once, as without this listener
  process.once(signal, () => {
    interruptedBy ??= signal;
    interruption.abort();
  });
}

// the reader has closed the pipe, as `head` does: the command ends without an error
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    interruption.abort();
  });
}

// never print a stack
process.on('uncaughtException', (error) => void program.report(error).then((code) => process.exit(code)));

const outcome = await program.run(process.argv.slice(2));
process.exitCode = outcome === 'left' ? codeOf('SIGINT') : (outcome ?? ending());

/** Aborted by the second signal, which then does not end the process. */
function onSecondSignal(): AbortSignal {
  const hurry = new AbortController();
  let count = 0;
  const listener = () => {
    count += 1;
    if (count > 1) hurry.abort();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return hurry.signal;
}

/** The exit code of an interrupted command. */
function ending(): number {
  return interruptedBy === undefined ? EXIT.done : codeOf(interruptedBy);
}

/** The exit code of shells: 130 for SIGINT. */
function codeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
