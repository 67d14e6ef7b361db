import type { SelectQueryBuilder } from 'typeorm';
import { columnsOf } from '../database/entity-rows.js';
import { PreparedQuery } from '../database/prepared-query.js';
import { PreparedPage } from '../database/read-page.js';
import { ShownDocument, shownColumns } from '../database/shown-document.js';
import { type BesideDocument, besideText, besideTime, ShownRows } from '../database/shown-rows.js';
import type { Connection } from '../database/transaction.js';
import { AgentConfigEntity } from './agent-config.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import { AgentEntity } from './agent.entity.js';
import type { BesideAgent, ShownAgent } from './agent.types.js';
import { AGENT_FIELDS } from './agent.response.js';
import { CONNECTION } from './presence.js';

/** Queries for whole agents: the record, its config, and its last call. */

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
const AGENT = columnsOf(
  AgentEntity,
  [...AGENT_RECORD, 'workload', 'workloadReason', 'capabilities', 'metadata'],
  'agent',
);
const CONFIG = columnsOf(AgentConfigEntity, ['config'], 'version');
const PRESENCE = columnsOf(
  AgentPresenceEntity,
  ['lastHeartbeatAt', 'onlineSince', 'lastSeenAt', 'reportedStatus', 'reportedMessage'],
  'presence',
);
const DOCUMENT = new ShownDocument(AGENT_FIELDS, {
  ...shownColumns(AgentPresenceEntity, 'presence'),
  ...shownColumns(AgentEntity, 'agent'),
});
/** The rows of {@link selectShownAgents}, read as {@link ShownAgent}s. */
export const SHOWN_AGENTS = new ShownRows(DOCUMENT, {
  id: { sql: 'agent.id', read: String },
  configVersion: { sql: 'agent.configVersion', read: Number },
  config: besideText('version.config'),
  connection: { sql: CONNECTION, read: String },
  workload: { sql: 'agent.workload', read: String },
  workloadReason: besideText('agent.workloadReason'),
  lastSeenAt: besideTime('presence.last_seen_at'),
} satisfies Record<Exclude<keyof ShownAgent, 'document'>, BesideDocument>);

/** Condition that an agent has this id and is not being removed. @param id SQL */
export const withId = (id: string) => `agent.id = ${id} AND agent.status <> 'deleting'`;
/** Condition that the agent belongs to the user `:ownerId`. */
export const OWNED = 'agent.userId = :ownerId';
const PARAMETERS = ['agentId', 'missedIntervals'] as const;
const OWNED_PARAMETERS = [...PARAMETERS, 'ownerId'] as const;

/** Selects an {@link Agent}. @param more columns, as SQL by the alias `agent` */
const selectAgent = (connection: Connection, ...more: string[]) =>
  joinAgents(connection)
    .select([AGENT, CONFIG, PRESENCE, ...more])
    .addSelect(CONNECTION, 'connection')
    .where(withId(':agentId'));
export const FIND_AGENT = new PreparedQuery('find_agent', PARAMETERS, (connection) =>
  selectAgent(connection),
);
export const FIND_OWNED_AGENT = new PreparedQuery('find_owned_agent', OWNED_PARAMETERS, (connection) =>
  selectAgent(connection).andWhere(OWNED),
);
/** Select an {@link Agent}, and in the column `beside` what else is shown with it. */
export const findAgentWith = ({ name, sql }: BesideAgent) => {
  const select = (connection: Connection) => selectAgent(connection, `${sql} AS "beside"`);
  return {
    find: new PreparedQuery(`find_${name}`, PARAMETERS, select),
    findOwned: new PreparedQuery(`find_owned_${name}`, OWNED_PARAMETERS, (connection) =>
      select(connection).andWhere(OWNED),
    ),
  };
};
/** A user's agents as they are shown, newest first. */
export const NEWEST_AGENTS = new PreparedPage(
  'newest_agents',
  ['userId', 'missedIntervals'],
  (connection) =>
    selectShownAgents(connection)
      .where('agent.userId = :userId')
      .andWhere("agent.status <> 'deleting'")
      .orderBy('agent.id', 'DESC'),
  SHOWN_AGENTS,
);

/** Selects {@link SHOWN_AGENTS}. Takes `:missedIntervals`: how many of its assigned intervals an agent may be silent. */
export function selectShownAgents(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return joinAgents(connection).select(SHOWN_AGENTS.line, 'line');
}

function joinAgents(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return (
    connection
      .createQueryBuilder(AgentEntity, 'agent')
      // Left joins, though each agent has both rows: PostgreSQL looks up those of the page only, and none for a count. An
      // inner join of a list was a merge, which read the presence of all owners' agents as old as the page.
      .leftJoin(AgentPresenceEntity, 'presence', 'presence.agentId = agent.id')
      .leftJoin(
        AgentConfigEntity,
        'version',
        'version.agentId = agent.id AND version.configVersion = agent.configVersion',
      )
  );
}
