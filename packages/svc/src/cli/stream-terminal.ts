import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pc from 'picocolors';
import createSpinner from 'yocto-spinner';
import type { Progress, Terminal } from './terminal.js';

export type Environment = Readonly<Record<string, string | undefined>>;

type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Standard streams of a process, which may be terminals, files or pipes. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
}

/** The terminal of a command with these streams. */
export function terminalOf({ stdin, stdout, stderr }: Streams, environment: Environment): Terminal {
  const noteColors = pc.createColors(showsColors(stderr.isTTY, environment));
  const print = (line: string) => void stdout.write(`${line}\n`);
  const note = (line: string) => void stderr.write(`${line}\n`);
  return {
    print,
    note,
    readInput: () => text(stdin),
    inputLines: (signal) => linesOf(addAbortSignal(signal, stdin)),
    isInteractive: Boolean(stdin.isTTY && stderr.isTTY),
    get width() {
      return stdout.isTTY ? stdout.columns || 80 : undefined;
    },
    colors: pc.createColors(showsColors(stdout.isTTY, environment)),
    noteColors,
    showProgress: (text) => (stderr.isTTY ? spinner(text, stderr, note) : silent(note)),
  };
}

/** Lines that end with a line feed; `readline` also ends them at U+2028, which JSON leaves in texts. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of stream) {
    const [first, ...rest] = decoder.decode(Buffer.from(chunk as Buffer), { stream: true }).split('\n');
    pieces.push(first!);
    for (const next of rest) {
      yield pieces.join('');
      pieces = [next];
    }
  }
  const last = pieces.join('') + decoder.decode();
  if (last !== '') yield last;
}

/** Rules of https://no-color.org and https://force-color.org: a variable counts if it is set and not empty. */
export function showsColors(isTerminal: boolean | undefined, environment: Environment): boolean {
  if (environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  if (forced) return forced !== '0' && forced !== 'false';
  return isTerminal === true && environment.TERM !== 'dumb';
}

/** Only one spinner moves at a time. */
let isMoving = false;

function spinner(text: string, stream: Output, note: (line: string) => void): Progress {
  if (isMoving) return silent(note);
  isMoving = true;
  // signals are handled by the command
  const moving = createSpinner({ text, stream, handleSignals: false }).start();
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
