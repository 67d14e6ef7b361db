/** A policy of this machine does not let a process start. It is told, and not tried again. */
export class RefusedStartError extends Error {
  override readonly name: string = 'RefusedStartError';
}
