import type { AgentRecord } from './agent.types.js';

/** An agent as webhooks are told of it: named field by field, so that nothing secret can slip in. */
export function agentSnapshot(agent: AgentRecord) {
  return {
    id: agent.id,
    agent_id: agent.id,
    user_id: agent.userId,
    name: agent.name,
    description: agent.description,
    type: agent.type,
    status: agent.status,
    version: agent.version,
    hostname: agent.hostname,
    platform: agent.platform,
    created_at: agent.createdAt,
    updated_at: agent.updatedAt,
  };
}
