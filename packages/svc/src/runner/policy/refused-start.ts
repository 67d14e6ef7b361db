/** A policy of this machine does not let a process start. The refusal is reported, and the start not tried again. */
export class RefusedStartError extends Error {
  override readonly name: string = 'RefusedStartError';
}
