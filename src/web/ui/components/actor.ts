import { shortId } from './short-id.js';

/** The names next to an actor, where the reply has them. */
export interface ActorNames {
  readonly actor_name?: string | null | undefined;
  readonly actor_email?: string | null | undefined;
}

/**
 * Describes the actor of a step.
 *
 * @param actor `user:<id>`, `key:<id>`, `budget:<id>`, `schedule:<id>`, `agent:<id>` or `monitor`, as histories have it
 * @param ownId of the signed-in user
 */
export function describeActor(actor: string, ownId: string | undefined, names: ActorNames = {}): string {
  const { actor_name: name, actor_email: email } = names;
  const [kind, id = ''] = actor.split(':', 2);
  if (kind === 'user') return id === ownId ? 'you' : (email ?? `user ${shortId(id)}`);
  if (kind === 'key') return `the key ${name ?? shortId(id)}${email ? ` of ${email}` : ''}`;
  if (kind === 'budget') return 'a budget';
  if (kind === 'schedule') return 'a schedule';
  if (kind === 'agent') return 'its runtime';
  return kind === 'monitor' ? 'the monitor' : actor;
}

/** Names of the sources of a status. */
export const STATUS_SOURCES = {
  user: 'a person',
  agent: 'its runtime',
  monitor: 'the monitor',
} as const;
