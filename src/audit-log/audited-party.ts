import type { AuditedParty } from './audit-log.types.js';

/** Unlike the history's actor it names the key, so that what a leaked key did can be found. */
export function actorOf(party: AuditedParty): string {
  switch (party.kind) {
    case 'user':
      return party.keyId === null ? `user:${party.userId}` : `api_key:${party.keyId}`;
    case 'agent':
      return `agent:${party.agentId}`;
    default:
      return party.kind;
  }
}
