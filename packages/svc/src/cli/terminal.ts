import type { Colors } from 'picocolors/types.js';

/** Input and output of a command. Its texts have been made {@link printable} before. */
export interface Terminal {
  /** Writes a line to standard output: what was asked for. */
  print(line: string): void;
  /** Writes a line to standard error: progress, hints, questions. */
  note(line: string): void;
  /** All of standard input, as text. */
  readInput(): Promise<string>;
  /** A person can be asked: standard input and standard error are a terminal. */
  readonly isInteractive: boolean;
  /** Columns of standard output; nothing when it is not a terminal. */
  readonly width: number | undefined;
  /** Colours of standard output; they do nothing where there is no terminal, or `NO_COLOR` is set. */
  readonly colors: Colors;
  /** Colours of standard error. */
  readonly noteColors: Colors;
  /** Shows on standard error that something takes its time; nothing where that is not a terminal. */
  showProgress(text: string): Progress;
}

export interface Progress {
  update(text: string): void;
  /** Writes a line to standard error, above what moves. */
  note(line: string): void;
  end(): void;
}
