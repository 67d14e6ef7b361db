import type { components } from '@agent-control-plane/client';
import type { Colors } from 'picocolors/types.js';
import { actorName, type NamedActor } from './actor-name.js';
import { paintStatus } from './paint.js';
import { printableLine } from './printable.js';

/** One step of a run as one line. */
export function runEventLine(
  event: components['schemas']['RunEventResponse'] & NamedActor,
  colors: Colors,
): string {
  const { event_type, status, previous_status, actor, message, created_at, sequence } = event;
  const change = previous_status === status ? '' : `${previous_status ?? '-'} -> `;
  return [
    colors.dim(printableLine(created_at)),
    `#${sequence}`,
    event_type.padEnd(10),
    `${change}${paintStatus(status, colors)}`,
    `by ${printableLine(actorName(event) ?? actor.split(':')[0]!)}`,
    ...(message === null ? [] : [printableLine(message)]),
  ].join('  ');
}
