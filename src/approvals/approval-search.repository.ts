import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Actor } from '../access/principal.js';
import type { Page } from '../database/page.js';
import { countOf, OF_PROJECT, ofProjects } from '../database/project-pages.js';
import { readPage, sentBytes } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { idRange } from '../http/id-prefix.js';
import type { ApprovalEntity } from './approval.entity.js';
import type { ApprovalFilter, ApprovalPageRequest, AskingAgent } from './approval.types.js';
import { IS_PRESENT, selectApprovals } from './approvals.repository.js';

/** SQL for the bytes of the columns that agents and people have written. */
const BYTES_OF_AN_APPROVAL = `coalesce(octet_length(args::text), 0) + coalesce(octet_length("editedArgs"::text), 0)
  + ${sentBytes('"agentName"', '"approvalKey"', 'title', 'description', '"actionName"', 'reason', 'response')}`;

const IS_DECIDED = "approval.state <> 'pending'";
/**
 * By hand: a comparison of rows. The place of an approval is that which it had when it was listed, or those that waited behind it would
 * be left out once it is decided. What was deleted meanwhile had been decided.
 */
const IS_AFTER = `(${IS_DECIDED}, approval.id) > (coalesce(
  :beforeDecided::boolean, (SELECT other.state <> 'pending' FROM approvals AS other WHERE other.id = :before::uuid), true),
  :before::uuid)`;

/** By hand: it reads what waits alone, by `approvals_pending_project_id_id_idx`. */
const ASKING = `SELECT found.*, agent.name AS "agentName" FROM (
    SELECT agent_id AS "agentId", count(*)::int AS count, min(requested_at) AS at FROM approvals
    WHERE project_id = ANY ($1::uuid[]) AND state = 'pending' GROUP BY agent_id) AS found
  JOIN agents AS agent ON agent.id = found."agentId" AND agent.status <> 'deleting'
  ORDER BY found.at, "agentId"`;

/** By hand: runs, schedules and keys belong to features below. The identity of a person has their own keys, too. */
const ASKED_BY = `SELECT run.id FROM runs AS run LEFT JOIN schedules AS schedule ON schedule.id = run.schedule_id
  WHERE run.id = ANY ($1::uuid[]) AND array_append(coalesce(schedule.asked_by, '{}'), run.actor) && array_append(ARRAY(
    SELECT 'key:' || key.id FROM api_keys AS key WHERE key.user_id = $3::uuid AND key.role IS NULL), $2::text)`;

/** Lists of the approvals of some projects. */
@Injectable()
export class ApprovalSearchRepository {
  /**
   * Lists approvals: open questions come first, then the oldest. Arguments take up to 32 KiB, so a page may be
   * cut.
   */
  async list(
    connection: Connection,
    { projectIds, state, agentId, runId, risk, idPrefix }: ApprovalFilter,
    { before, beforeState, skip, limit, includeTotal }: ApprovalPageRequest,
  ): Promise<Page<ApprovalEntity>> {
    const all = selectApprovals(connection).where(OF_PROJECT('approval')).andWhere(IS_PRESENT);
    // Constants, not parameters: PostgreSQL then uses the indexes.
    if (state !== undefined) all.andWhere(state === 'pending' ? "approval.state = 'pending'" : IS_DECIDED);
    if (state !== undefined && state !== 'pending') all.andWhere({ state });
    if (agentId !== undefined) all.andWhere({ agentId });
    if (runId !== undefined) all.andWhere({ runId });
    if (risk !== undefined) all.andWhere({ risk });
    if (idPrefix !== undefined) all.andWhere('approval.id BETWEEN :firstId AND :lastId', idRange(idPrefix));
    const part = inOrder(all.clone().select('approval.id', 'id').addSelect(IS_DECIDED, 'decided'));
    const beforeDecided = beforeState === undefined ? null : beforeState !== 'pending';
    if (before !== undefined)
      part.andWhere(state === undefined ? IS_AFTER : 'approval.id > :before', { before, beforeDecided });
    // The ids of a page are found first: rows are large, and each project has as many.
    const ids = ofProjects(connection, projectIds, part.limit(skip + limit + 1))
      .select('found.id')
      .orderBy('found.decided')
      .addOrderBy('found.id')
      .limit(limit + 1)
      .offset(skip);
    const rows = selectApprovals(connection)
      .where(`approval.id = ANY (ARRAY(${ids.getQuery()}))`)
      .setParameters(ids.getParameters());
    const page = await readPage<ApprovalEntity>(
      connection,
      inOrder(rows),
      { skip: 0, limit, includeTotal },
      BYTES_OF_AN_APPROVAL,
      () => countOf(connection, projectIds, all),
    );
    return page.continuedBy((row) => ({
      before: row.id,
      ...(state === undefined && { before_state: row.state }),
    }));
  }

  /**
   * The runs among these that were made at a person's request: they asked for it, or made or changed its schedule.
   *
   * @param userId whose keys count as the identity; null: it has none
   */
  async askedBy(
    connection: Connection,
    runIds: readonly string[],
    identity: Actor,
    userId: string | null,
  ): Promise<ReadonlySet<string>> {
    if (runIds.length === 0) return new Set();
    const rows = await rowsOf<{ readonly id: string }>(connection, ASKED_BY, [runIds, identity, userId]);
    return new Set(rows.map(({ id }) => id));
  }

  /** The agents whose questions wait, those first whose oldest one has waited for longest. */
  asking(connection: Connection, projectIds: readonly string[]): Promise<AskingAgent[]> {
    return rowsOf<AskingAgent>(connection, ASKING, [projectIds]);
  }
}

function inOrder(query: SelectQueryBuilder<ApprovalEntity>): SelectQueryBuilder<ApprovalEntity> {
  return query.orderBy(IS_DECIDED).addOrderBy('approval.id');
}
