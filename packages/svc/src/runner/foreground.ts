import type { OutputStream } from './processes/output-line.js';

/** How a program has ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Whoever waits for a program: its processes are not started again when they have ended. */
export interface Foreground {
  onOutput(text: string, stream: OutputStream): void;
  onEnd(end: ProgramEnd): void;
}
