import { useMembers } from '../api/projects.js';
import { useUser } from '../app/require-session.js';
import { describeActor } from './actor.js';

/** Describes the actor of a step in a project: a member by their address. */
export function useActorName(actor: string | null, projectId: string): string {
  const { id: ownId } = useUser();
  const isOther = actor !== null && actor.startsWith('user:') && actor !== `user:${ownId}`;
  const { rows } = useMembers(projectId, isOther);
  if (actor === null) return 'nobody';
  const member = isOther && rows.find(({ user_id }) => actor === `user:${user_id}`);
  return member ? member.email : describeActor(actor, ownId);
}
