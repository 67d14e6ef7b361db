/** Where a command of the operator's writes: a process has its own streams, and a test takes what is written. */
export interface CommandStreams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}
