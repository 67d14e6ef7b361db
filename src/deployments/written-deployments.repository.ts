import { columnsOf } from '../database/entity-rows.js';
import { PreparedQuery } from '../database/prepared-query.js';
import { withClock } from '../database/clock.js';
import type { Transaction } from '../database/transaction.js';
import type { WorkloadPart } from '../lifecycle/agent-health.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import { CHANGING_COLUMNS, type DeploymentChange } from './deployment-change.types.js';
import { DeploymentEntity } from './deployment.entity.js';

/** Prepared statements that write a deployment's row. Each step runs one of them. */

/** A deployment as it was written, with the other data of its agent's workload. */
export interface WrittenDeployment {
  readonly deployment: DeploymentEntity;
  /** The agent's other active deployments and, if another one is the newest, that one. */
  readonly others: readonly WorkloadPart[];
}

const WORKLOAD_COLUMNS = columnsOf(DeploymentEntity, [
  'id',
  'createdAt',
  'status',
  'failureCause',
  'replicas',
  'readyReplicas',
  'generation',
  'observedGeneration',
  'readyGeneration',
  'restartPace',
  'restartCount',
  'errorMessage',
]);
const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
const NEW_COLUMNS = [
  'id',
  'agentId',
  'projectId',
  'status',
  'statusSource',
  'configVersion',
  'replaces',
  'replicas',
  'generation',
  'startGeneration',
  'lastSequence',
  'isHeld',
] as const;
export type NewDeployment = Pick<DeploymentEntity, (typeof NEW_COLUMNS)[number] | 'agentName'>;

/** The columns whose values the database sets. */
const WRITTEN_TIMES = ['lastRestartAt', 'startedAt', 'endedAt', 'updatedAt'] as const;

/** SQL that writes a deployment and reads its agent's other ones in the same statement, which saves each step a round trip. */
const withOthers = (write: string) => `WITH written AS (${write})
  SELECT written.*, (
    SELECT coalesce(jsonb_agg(other), '[]') FROM (
      SELECT ${WORKLOAD_COLUMNS} FROM deployments WHERE agent_id = :agentId AND id <> :id AND (
        status IN (${ACTIVE}) OR id = (SELECT id FROM deployments WHERE agent_id = :agentId ORDER BY created_at DESC, id DESC LIMIT 1)
      )
    ) AS other
  ) AS others FROM written`;

const INSERT = new PreparedQuery(
  'insert_deployment',
  NEW_COLUMNS,
  (connection) =>
    connection
      .createQueryBuilder()
      .insert()
      .into(DeploymentEntity)
      .values(parametersOf(NEW_COLUMNS))
      .returning(columnsOf(DeploymentEntity)),
  withOthers,
);

const UPDATE = new PreparedQuery(
  'update_deployment',
  ['id', 'agentId', ...CHANGING_COLUMNS, 'starts', 'ended'],
  (connection) =>
    connection
      .createQueryBuilder()
      .update(DeploymentEntity)
      .set({
        ...parametersOf(CHANGING_COLUMNS),
        startedAt: () => 'CASE WHEN :starts::boolean THEN clock.at ELSE started_at END',
        endedAt: () => 'CASE :ended::boolean WHEN true THEN clock.at WHEN false THEN NULL ELSE ended_at END',
        updatedAt: () => 'now()',
      })
      .where('id = :id')
      .returning(columnsOf(DeploymentEntity, WRITTEN_TIMES)),
  (update) => withOthers(withClock(update)),
);

export async function insertDeployment(
  tx: Transaction,
  { agentName, ...deployment }: NewDeployment,
): Promise<WrittenDeployment> {
  const [inserted] = await INSERT.rows<DeploymentEntity & Pick<WrittenDeployment, 'others'>>(tx, deployment);
  const { others, ...row } = inserted!;
  return { deployment: { ...row, agentName }, others };
}

/** @param deployment its stored state: the transaction has locked its row */
export async function updateDeployment(
  tx: Transaction,
  deployment: DeploymentEntity,
  { starts = false, ended = null, ...columns }: DeploymentChange,
): Promise<WrittenDeployment> {
  const changed = { ...deployment, ...columns };
  const [updated] = await UPDATE.rows<
    Pick<DeploymentEntity, (typeof WRITTEN_TIMES)[number]> & Pick<WrittenDeployment, 'others'>
  >(tx, {
    ...changed,
    // JSON text, because the driver would write a list as a PostgreSQL array.
    recentRestarts: JSON.stringify(changed.recentRestarts),
    starts,
    ended,
  });
  const { others, ...times } = updated!;
  return { deployment: { ...changed, ...times }, others };
}

/** SQL for the value of each column: a parameter with the name of its property. */
function parametersOf<Property extends string>(properties: readonly Property[]) {
  const entries = properties.map((property) => [property, () => `:${property}`]);
  return Object.fromEntries(entries) as Record<Property, () => string>;
}
