import type { Colors } from 'picocolors/types.js';
import type { DeploymentEvent } from '@agent-control-plane/client';
import { actorName, type NamedActor } from './actor-name.js';
import { paintStatus } from './paint.js';
import { printableLine } from './printable.js';

/** One lifecycle event as one line. */
export function eventLine(event: DeploymentEvent & NamedActor, colors: Colors): string {
  const { event_type, status, previous_status, replicas, error_message, created_at, sequence } = event;
  const change = previous_status === status ? '' : `${previous_status ?? '-'} -> `;
  return [
    colors.dim(printableLine(created_at)),
    `#${sequence}`,
    printableLine(event_type).padEnd(10),
    `${change}${paintStatus(status, colors)}`,
    `replicas=${replicas}`,
    `by ${printableLine(actorName(event) ?? event.actor.split(':')[0]!)}`,
    ...(error_message === null ? [] : [colors.red(printableLine(error_message))]),
  ].join('  ');
}
