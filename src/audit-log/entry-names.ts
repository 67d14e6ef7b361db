import type { Connection } from '../database/transaction.js';
import { readActorNames } from '../http/actor-names.js';
import { isUuid } from '../http/uuid-param.js';
import type { AuditEntry, AuditReader, NamedAuditEntry } from './audit-log.types.js';

/** Reads the names of the actors and targets of entries, in one statement. @returns a function that adds them to an entry */
export async function readEntryNames(
  connection: Connection,
  { userId, isAdmin, memberOf }: AuditReader,
  entries: readonly AuditEntry[],
): Promise<(entry: AuditEntry) => NamedAuditEntry> {
  const reader = { userId, isAdmin, projectIds: memberOf };
  const asked = entries.flatMap((entry) => [entry.actor, namedTarget(entry)]);
  const namesOf = await readActorNames(connection, reader, asked);
  return (entry) => {
    const { actorName, actorEmail } = namesOf(namedTarget(entry));
    const targetName =
      entry.targetType === 'user' ? (actorEmail ?? actorName) : (actorName ?? nameThen(entry));
    return { ...entry, ...namesOf(entry.actor), targetName };
  };
}

/** The name that a deleted agent or key had at this act, if the entry has it: those of its creation and of an agent's deletion. */
function nameThen({ targetType, details: { name } }: AuditEntry): string | null {
  return (targetType === 'agent' || targetType === 'api_key') && typeof name === 'string' ? name : null;
}

/** The target in the form of an actor. Runs, deployments and what else belongs to an agent go by the agent. */
function namedTarget({ targetType, targetId, details }: AuditEntry): string | null {
  if (targetId !== null && targetType === 'user') return `user:${targetId}`;
  if (targetId !== null && targetType === 'api_key') return `key:${targetId}`;
  const agentId = targetType === 'agent' ? targetId : details['agent_id'];
  return isUuid(agentId) ? `agent:${agentId.toLowerCase()}` : null;
}
