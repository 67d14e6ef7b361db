import type { AgentPresence } from '../agents/agent.types.js';
import type { CommandRecord } from '../commands/command.types.js';

/**
 * Why a command has not been settled yet, for a person to read; null when it has. Pure.
 *
 * @param presence of the agent that is to carry it out
 * @param knownKeys ids of the keys that open configs
 * @param now the time against which leases are judged
 */
export function waitingReason(
  command: CommandRecord,
  presence: AgentPresence,
  knownKeys: readonly string[],
  now: Date,
): string | null {
  if (command.settledAt !== null) return null;
  if (command.leasedUntil !== null && Date.parse(command.leasedUntil) > now.getTime()) {
    return `leased until ${command.leasedUntil}`;
  }
  if (command.hasPredecessor) return 'waiting for the previous command';
  if (command.keyOfConfig !== null && !knownKeys.includes(command.keyOfConfig)) {
    return "the config can't be decrypted: it was encrypted with a key that the service does not have";
  }
  if (presence.lastSeenAt === null) return 'the agent has never connected';
  if (!presence.isOnline) return `agent offline since ${presence.lastSeenAt}`;
  return 'waiting for the agent to poll';
}
