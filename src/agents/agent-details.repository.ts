import { Injectable } from '@nestjs/common';
import { lists, type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import { withSearched } from './agent-copies.repository.js';
import type { AgentStart } from './agent.types.js';

/** See {@link AgentDetailsRepository.update}. */
const UPDATE: PreparedStatement = {
  name: 'update_agent_details',
  text: withSearched(
    `UPDATE agents AS agent
     SET name = coalesce(given.name, agent.name), description = coalesce(given.description, agent.description),
       version = coalesce(given.version, agent.version), hostname = coalesce(given.hostname, agent.hostname),
       platform = coalesce(given.platform, agent.platform),
       capabilities = coalesce(given.capabilities::jsonb, agent.capabilities),
       metadata = coalesce(given.metadata::jsonb, agent.metadata),
       runtime = coalesce(given.runtime::jsonb, agent.runtime), updated_at = now()
     FROM unnest(${lists('uuid', 'text', 'text', 'text', 'text', 'text', 'text', 'text', 'text')})
       AS given(id, name, description, version, hostname, platform, capabilities, metadata, runtime)
     WHERE agent.id = given.id
       AND (agent.name, agent.description, agent.version, agent.hostname, agent.platform, agent.capabilities,
         agent.metadata, agent.runtime)
       IS DISTINCT FROM (coalesce(given.name, agent.name), coalesce(given.description, agent.description),
         coalesce(given.version, agent.version), coalesce(given.hostname, agent.hostname),
         coalesce(given.platform, agent.platform), coalesce(given.capabilities::jsonb, agent.capabilities),
         coalesce(given.metadata::jsonb, agent.metadata), coalesce(given.runtime::jsonb, agent.runtime))`,
    'agent',
  ),
};

/** The columns of agents that their runtimes report. */
@Injectable()
export class AgentDetailsRepository {
  /**
   * Writes the details that runtimes report when they start, and only to rows that differ. By hand: one statement for
   * any number of agents, each given once.
   */
  async update(tx: Transaction, starts: readonly AgentStart[]): Promise<void> {
    await rowsOf(tx, UPDATE, [
      starts.map(({ agentId }) => agentId),
      ...(['name', 'description', 'version', 'hostname', 'platform'] as const).map((property) =>
        starts.map(({ details }) => details[property] ?? null),
      ),
      starts.map(({ details }) => jsonOrNull(details.capabilities)),
      starts.map(({ details }) => jsonOrNull(details.metadata)),
      starts.map(({ details }) => jsonOrNull(details.runtime)),
    ]);
  }
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
