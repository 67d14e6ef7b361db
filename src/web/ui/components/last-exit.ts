import type { Deployment } from '@agent-control-plane/client';
import { counted } from './counted.js';

/** How a replica's process ended, in one line. */
export function exitText({ code, signal, message }: NonNullable<Deployment['last_exit']>): string {
  const end = signal ? `ended by ${signal}` : code === undefined ? 'ended' : `exit code ${code}`;
  return message ? `${end}: ${message}` : end;
}

type Restarts = Pick<Deployment, 'ready_replicas' | 'replicas' | 'ended_at' | 'restart_count' | 'last_exit'>;

/** Reason why an active deployment is not ready, from its restarts; null: it is ready, has ended, or nothing has exited. */
export function restartsText(deployment: Restarts): string | null {
  const { ready_replicas, replicas, ended_at, restart_count, last_exit } = deployment;
  if (ready_replicas >= replicas || ended_at !== null || last_exit === null) return null;
  return `${counted(restart_count, 'restart')}; ${exitText(last_exit)}`;
}
