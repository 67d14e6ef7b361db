import { IsNull } from 'typeorm';
import { columnsOf, selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import type { PreparedStatement } from '../database/sql.js';
import { CommandEntity } from './command.entity.js';

/** The prepared statements of the queue, from the delivery on. */

/** Maximum number of deliveries of a command before it is given up. */
export const MAXIMUM_ATTEMPTS = 5;

const LEASED_COLUMNS = columnsOf(
  CommandEntity,
  ['id', 'action', 'deploymentId', 'parameters', 'createdAt', 'leasedUntil'],
  'command',
);

/** SQL for the id of the key that seals the config of a command; null where it is in clear. By hand: tables of features above. */
export function keyOfConfig(command: string): string {
  return `(SELECT split_part(left(config, 64), ':', 2) FROM deployments AS deployment, agent_configs AS version
    WHERE deployment.id = ${command}.deployment_id AND starts_with(config, 'sealed:')
      AND (version.agent_id, version.config_version) = (deployment.agent_id, deployment.config_version))`;
}

/** See `CommandsRepository.queueStates`. */
export const QUEUE_STATES = new PreparedQuery('queue_states', ['agentIds'], (connection) =>
  connection
    .createQueryBuilder(CommandEntity, 'command')
    .select(columnsOf(CommandEntity, ['agentId'], 'command'))
    .addSelect('count(*)::int', 'waiting')
    .addSelect(
      `(extract(epoch FROM min(command.leasedUntil) FILTER (WHERE command.leasedUntil > now()) - now()) * 1000)::int`,
      'nextDueMs',
    )
    .where(`command.agentId = ANY (${idList('agentIds')})`)
    .andWhere({ settledAt: IsNull() })
    .groupBy('command.agentId'),
);

/** See `CommandsRepository.countWaiting`. */
export const COUNT_WAITING = new PreparedQuery('count_waiting_commands', ['agentId'], (connection) =>
  connection
    .createQueryBuilder(CommandEntity, 'command')
    .select('count(*)::int', 'waiting')
    .where('command.agentId = :agentId')
    .andWhere({ settledAt: IsNull() }),
);

/** See `CommandsRepository.findForAgent`. */
export const FIND_FOR_AGENT = new PreparedQuery(
  'find_command_for_agent',
  ['commandId', 'agentId'],
  (connection) =>
    selectRows(connection, CommandEntity, 'command')
      .where('command.id = :commandId')
      .andWhere('command.agentId = :agentId'),
);

/** See `CommandsRepository.lease`. */
export const LEASE_COMMANDS: PreparedStatement = {
  name: 'lease_commands',
  text: `WITH heads AS (
      SELECT DISTINCT ON (deployment_id) id FROM commands
      WHERE agent_id = $1 AND settled_at IS NULL
      ORDER BY deployment_id, sequence
    ), due AS (
      SELECT id FROM commands
      WHERE id IN (SELECT id FROM heads)
        AND (state = 'pending' OR (leased_until <= now() AND attempts < ${MAXIMUM_ATTEMPTS}))
        AND coalesce(${keyOfConfig('commands')}, '') = ANY ($4::text[] || ''::text)
      ORDER BY id LIMIT $2
      FOR UPDATE SKIP LOCKED
    )
    UPDATE commands AS command
    SET state = 'leased', attempts = attempts + 1, leased_at = now(),
      leased_until = now() + make_interval(secs => $3)
    FROM due, deployments AS deployment, agent_configs AS version
    WHERE command.id = due.id AND command.settled_at IS NULL AND deployment.id = command.deployment_id
      AND (version.agent_id, version.config_version) = (deployment.agent_id, deployment.config_version)
    RETURNING ${LEASED_COLUMNS}, command.attempts AS attempt,
      version.config AS "storedConfig", version.config_version AS "configVersion"`,
};
