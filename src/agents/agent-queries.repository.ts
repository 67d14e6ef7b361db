import type { SelectQueryBuilder } from 'typeorm';
import { USUAL_PAGE } from '../budget/list-limits.js';
import { columnsOf } from '../database/entity-rows.js';
import { PreparedQuery } from '../database/prepared-query.js';
import { firstIds, firstOf, OF_PROJECT, ofProjects, withIds } from '../database/project-pages.js';
import { withinPage } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import { AgentConfigEntity } from './agent-config.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import { AgentEntity } from './agent.entity.js';
import { AGENT_RECORD, OWNED, withId } from './locked-agents.repository.js';
import { CONNECTION } from './presence.js';

/** Queries for whole agents: the record, its config, and its last call. */

const AGENT = columnsOf(
  AgentEntity,
  [
    ...AGENT_RECORD,
    'onLoop',
    'capture',
    'usageFrom',
    'workload',
    'workloadReason',
    'pausedAt',
    'pauseConfirmedAt',
    'capabilities',
    'metadata',
    'runtime',
  ],
  'agent',
);
const CONFIG = columnsOf(AgentConfigEntity, ['config'], 'version');
const PRESENCE = columnsOf(
  AgentPresenceEntity,
  ['lastHeartbeatAt', 'onlineSince', 'lastSeenAt', 'reportedStatus', 'reportedMessage'],
  'presence',
);
/** The oldest pause that holds an agent. By hand: the tables belong to a feature above. */
const PAUSE = `CASE WHEN agent.paused_at IS NOT NULL THEN (
    SELECT jsonb_build_object('id', pause.id, 'by', pause.by, 'reason', pause.reason, 'at', pause.created_at)
    FROM agent_pauses AS held JOIN pauses AS pause ON pause.id = held.pause_id
    WHERE held.agent_id = agent.id ORDER BY pause.created_at, pause.id LIMIT 1) END`;

/** The active deployments of an agent, together; null where it has none. By hand: the table belongs to a feature above. */
const DEPLOYED = `(SELECT jsonb_build_object('configVersion',
      (array_agg(deployment.config_version ORDER BY deployment.created_at DESC, deployment.id DESC))[1],
      'deployments', count(*), 'replicas', sum(deployment.replicas),
      'readyReplicas', sum(least(deployment.ready_replicas, deployment.replicas)))
    FROM deployments AS deployment
    WHERE deployment.agent_id = agent.id AND deployment.status IN (${ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ')})
    HAVING count(*) > 0)`;

/** SQL for the bytes of an agent's large columns, by the names of its properties. To weigh the short ones takes a seventh of a list. */
export const BYTES_OF_AN_AGENT = 'octet_length(concat(config, capabilities, metadata, "reportedMessage"))';

const PARAMETERS = ['agentId', 'missedIntervals'] as const;

export const FIND_AGENT = new PreparedQuery('find_agent', PARAMETERS, (connection) =>
  selectAgents(connection).where(withId(':agentId')),
);
export const FIND_OWNED_AGENT = new PreparedQuery(
  'find_owned_agent',
  [...PARAMETERS, 'projectIds'],
  (connection) => selectAgents(connection).where(withId(':agentId')).andWhere(OWNED),
);

/** The number of agents on a first page of the usual size, plus one that shows whether there is a next page. */
const FIRST_PAGE = USUAL_PAGE.ofResources + 1;
/** How many agents of each of several projects are read first; see {@link firstIds}. */
const FEW = 8;

const present = (agents: SelectQueryBuilder<AgentEntity>) =>
  agents.where(`${OF_PROJECT('agent')} AND agent.status <> 'deleting'`);

/**
 * The newest agents of a project: the first page of the usual size. The size is part of the text, because PostgreSQL expects a
 * parameter to ask for a tenth of all rows, and would plan each read again.
 */
export const NEWEST_AGENTS = new PreparedQuery(
  'newest_agents',
  ['projectIds', 'missedIntervals'],
  (connection) =>
    ofProjects(connection, [], firstOf(present(selectAgents(connection)), FIRST_PAGE, 'DESC')).orderBy(
      'found.id',
      'DESC',
    ),
  (text) => withinPage(text, BYTES_OF_AN_AGENT),
);

/** The same of several projects. */
export const NEWEST_AGENTS_OF_SEVERAL = new PreparedQuery(
  'newest_agents_of_several',
  ['projectIds', 'missedIntervals'],
  (connection) => {
    const agents = connection.createQueryBuilder(AgentEntity, 'agent');
    const ids = firstIds(connection, [], present(agents), FIRST_PAGE, { direction: 'DESC', few: FEW });
    return withIds(selectAgents(connection), ids, 'DESC');
  },
  (text) => withinPage(text, BYTES_OF_AN_AGENT),
);

/** Selects {@link Agent}s. Takes `:missedIntervals`: how many of its assigned intervals an agent may be silent. */
export function selectAgents(connection: Connection): SelectQueryBuilder<AgentEntity> {
  return (
    connection
      .createQueryBuilder(AgentEntity, 'agent')
      .select([AGENT, CONFIG, PRESENCE])
      .addSelect(CONNECTION, 'connection')
      .addSelect(PAUSE, 'pause')
      .addSelect(DEPLOYED, 'deployed')
      // Left joins, though each agent has both rows: PostgreSQL then looks up only the rows of the page, and none for a
      // count. With an inner join it chose a merge, which read the presence of all owners' agents that are as old as
      // the page.
      .leftJoin(AgentPresenceEntity, 'presence', 'presence.agentId = agent.id')
      .leftJoin(
        AgentConfigEntity,
        'version',
        'version.agentId = agent.id AND version.configVersion = agent.configVersion',
      )
  );
}
