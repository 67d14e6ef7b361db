import { shortId } from './short-id.js';

/**
 * Describes the actor of a step.
 *
 * @param actor `user:<id>`, `key:<id>`, `budget:<id>`, `agent:<id>` or `monitor`, as histories have it
 * @param ownId of the signed-in user
 */
export function describeActor(actor: string, ownId: string | undefined): string {
  const [kind, id = ''] = actor.split(':', 2);
  if (kind === 'user') return id === ownId ? 'you' : `user ${shortId(id)}`;
  if (kind === 'key') return `the project’s key ${shortId(id)}`;
  if (kind === 'budget') return 'a budget';
  if (kind === 'agent') return 'its runtime';
  return kind === 'monitor' ? 'the monitor' : actor;
}

/** Names of the sources of a status. */
export const STATUS_SOURCES = {
  user: 'a person',
  agent: 'its runtime',
  monitor: 'the monitor',
} as const;
