import type { OutputStream } from './processes/output-line.js';

/** How a program has ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A command that waits for its program: the runner passes on the output, and does not start a process again that has ended. */
export interface Foreground {
  onOutput(text: string, stream: OutputStream): void;
  onEnd(end: ProgramEnd): void;
}
