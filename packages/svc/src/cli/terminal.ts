import type { Colors } from 'picocolors/types.js';

/** Input and output of a command. Its texts have been made {@link printable} before. */
export interface Terminal {
  /** Writes a line to standard output: the result. */
  print(line: string): void;
  /** Writes a line to standard error: progress, hints, questions. */
  note(line: string): void;
  /** All of standard input, as text. */
  readInput(): Promise<string>;
  /** Standard input line by line, each without its line feed, until it ends. @throws the signal's reason once it aborts */
  inputLines(signal: AbortSignal): AsyncIterable<string>;
  /** True if a person can be asked: standard input and standard error are a terminal. */
  readonly isInteractive: boolean;
  /** Columns of standard output; undefined if it is not a terminal. */
  readonly width: number | undefined;
  /** Colours of standard output; they have no effect without a terminal, or if `NO_COLOR` is set. */
  readonly colors: Colors;
  /** Colours of standard error. */
  readonly noteColors: Colors;
  /** Shows a spinner on standard error; nothing if that is not a terminal. */
  showProgress(text: string): Progress;
}

export interface Progress {
  update(text: string): void;
  /** Writes a line to standard error, above the spinner. */
  note(line: string): void;
  end(): void;
}
