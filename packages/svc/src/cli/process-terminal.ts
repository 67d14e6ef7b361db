import { text } from 'node:stream/consumers';
import pc from 'picocolors';
import createSpinner from 'yocto-spinner';
import type { Progress, Terminal } from './terminal.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The terminal, files or pipes that this process was started with. */
export function processTerminal(environment: Environment): Terminal {
  const { stdin, stdout, stderr } = process;
  const noteColors = pc.createColors(showsColors(stderr.isTTY, environment));
  const print = (line: string) => void stdout.write(`${line}\n`);
  const note = (line: string) => void stderr.write(`${line}\n`);
  return {
    print,
    note,
    readInput: () => text(stdin),
    isInteractive: Boolean(stdin.isTTY && stderr.isTTY),
    get width() {
      return stdout.isTTY ? stdout.columns || 80 : undefined;
    },
    colors: pc.createColors(showsColors(stdout.isTTY, environment)),
    noteColors,
    showProgress: (text) => (stderr.isTTY ? spinner(text, note) : silent(note)),
  };
}

/** https://no-color.org and https://force-color.org: what is set and not empty counts. */
export function showsColors(isTerminal: boolean | undefined, environment: Environment): boolean {
  if (environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  if (forced) return forced !== '0' && forced !== 'false';
  return isTerminal === true && environment.TERM !== 'dumb';
}

/** One at a time moves: the next ones stand still behind it. */
let isMoving = false;

function spinner(text: string, note: (line: string) => void): Progress {
  if (isMoving) return silent(note);
  isMoving = true;
  // signals are the command's business
  const moving = createSpinner({ text, stream: process.stderr, handleSignals: false }).start();
  return {
    update: (changed) => (moving.text = changed),
    note(line) {
      moving.stop();
      note(line);
      moving.start();
    },
    end() {
      isMoving = false;
      moving.stop();
    },
  };
}

function silent(note: (line: string) => void): Progress {
  return { update: () => undefined, note, end: () => undefined };
}
