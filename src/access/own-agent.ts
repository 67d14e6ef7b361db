import { ForbiddenError } from '../errors/domain-error.js';
import type { AgentPrincipal } from './principal.js';

/**
 * Runtimes may name themselves in a path, query or body; naming another agent is refused.
 *
 * @throws ForbiddenError `Agent ID mismatch`
 */
export function assertOwnAgent(principal: AgentPrincipal, agentId: string | undefined): void {
  if (agentId !== undefined && agentId.toLowerCase() !== principal.agentId) {
    throw new ForbiddenError('Agent ID mismatch');
  }
}
