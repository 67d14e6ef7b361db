import type { EventKind, EventPayloads } from './event-catalogue.js';

/** The body of a message as the Standard Webhooks specification has it: what happened, when, and to what. */
export function messageBody<Kind extends EventKind>(kind: Kind, data: EventPayloads[Kind], at: Date): string {
  return JSON.stringify({ type: kind, timestamp: at.toISOString(), data });
}
