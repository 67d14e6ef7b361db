/** An actor with its names, which streams and older services don't send. */
export interface NamedActor {
  readonly actor: string;
  readonly actor_name?: string | null;
  readonly actor_email?: string | null;
}

/** `ada@example.com`, `key ci (ada@example.com)` or `agent mail-sorter`; undefined: the actor has no name that the caller may see. */
export function actorName({ actor, actor_name: name, actor_email: email }: NamedActor): string | undefined {
  const [kind] = actor.split(':');
  if (kind === 'user') return email ?? undefined;
  return name ? `${kind} ${name}${email ? ` (${email})` : ''}` : undefined;
}

/** The name of an actor, or what the service calls it. */
export const actorText = (named: NamedActor): string => actorName(named) ?? named.actor;
