/** Streams of a command of the operator's: those of the process, or those of a test, which records the output. */
export interface CommandStreams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}
