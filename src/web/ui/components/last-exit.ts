import type { Deployment } from '@agent-control-plane/client';

/** How a replica's process ended, in one line. */
export function exitText({ code, signal, message }: NonNullable<Deployment['last_exit']>): string {
  const end = signal ? `ended by ${signal}` : code === undefined ? 'ended' : `exit code ${code}`;
  return message ? `${end}: ${message}` : end;
}
