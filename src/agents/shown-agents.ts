import type { SelectQueryBuilder } from 'typeorm';
import { columnsOf } from '../database/entity-rows.js';
import { PreparedQuery } from '../database/prepared-query.js';
import { PreparedPage } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { CONNECTION } from './agent-conditions.js';
import { AgentConfigEntity } from './agent-config.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import { AgentEntity } from './agent.entity.js';

/** Queries for agents as they are shown: the record, its config, and when it was last heard of. */

/** The columns that others may be told of. */
export const AGENT_RECORD = [
  'id',
  'userId',
  'name',
  'description',
  'type',
  'labels',
  'configVersion',
  'status',
  'version',
  'hostname',
  'platform',
  'createdAt',
  'updatedAt',
] as const;
const SHOWN = columnsOf(
  AgentEntity,
  [...AGENT_RECORD, 'workload', 'workloadReason', 'capabilities', 'metadata'],
  'agent',
);
const SHOWN_CONFIG = columnsOf(AgentConfigEntity, ['config'], 'version');
const SHOWN_PRESENCE = columnsOf(
  AgentPresenceEntity,
  ['lastHeartbeatAt', 'onlineSince', 'lastSeenAt', 'reportedStatus', 'reportedMessage'],
  'presence',
);
/** SQL for the bytes of a row's large columns. */
export const AGENT_BYTES = `octet_length(config) + coalesce(octet_length(capabilities::text), 0) + coalesce(octet_length(metadata::text), 0)`;

/** `owner` null: whoever it is. */
export const FIND_OWNED_AGENT = new PreparedQuery(
  'find_owned_agent',
  ['agentId', 'owner', 'missedIntervals'],
  (connection) =>
    selectAgents(connection)
      .where('agent.id = :agentId')
      .andWhere('(:owner::uuid IS NULL OR agent.userId = :owner)')
      .andWhere("agent.status <> 'deleting'"),
);
/** A user's agents, newest first. */
export const NEWEST_AGENTS = new PreparedPage(
  'newest_agents',
  ['userId', 'missedIntervals'],
  (connection) =>
    selectAgents(connection)
      .where('agent.userId = :userId')
      .andWhere("agent.status <> 'deleting'")
      .orderBy('agent.id', 'DESC'),
  AGENT_BYTES,
);

/** Takes `:missedIntervals`: how many of its assigned intervals an agent may be silent. */
export function selectAgents(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return (
    connection
      .createQueryBuilder(AgentEntity, 'agent')
      .innerJoin(AgentPresenceEntity, 'presence', 'presence.agentId = agent.id')
      // A left join, though each agent has one: where agents are only counted, PostgreSQL then leaves it out.
      .leftJoin(
        AgentConfigEntity,
        'version',
        'version.agentId = agent.id AND version.configVersion = agent.configVersion',
      )
      .select([SHOWN, SHOWN_CONFIG, SHOWN_PRESENCE])
      .addSelect(CONNECTION, 'connection')
  );
}
