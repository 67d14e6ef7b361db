import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from '../database/page.js';
import { countOf, OF_PROJECT, ofProjects } from '../database/project-pages.js';
import { readPage, sentBytes } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { idRange } from '../http/id-prefix.js';
import type { ApprovalEntity } from './approval.entity.js';
import type { ApprovalFilter } from './approval.types.js';
import { selectApprovals } from './approvals.repository.js';

/** SQL for the bytes of the columns that agents and people have written. */
const BYTES_OF_AN_APPROVAL = `coalesce(octet_length(args::text), 0) + coalesce(octet_length("editedArgs"::text), 0)
  + ${sentBytes('"agentName"', '"approvalKey"', 'title', 'description', '"actionName"', 'reason', 'response')}`;

/** An agent that is not being removed. By hand: the table belongs to a feature below. */
const IS_PRESENT = `(SELECT agent.status <> 'deleting' FROM agents AS agent WHERE agent.id = approval.agentId)`;
const IS_DECIDED = "approval.state <> 'pending'";
/** By hand: a comparison of rows. What was deleted meanwhile had been decided. */
const IS_AFTER = `(${IS_DECIDED}, approval.id) > (coalesce(
  (SELECT other.state <> 'pending' FROM approvals AS other WHERE other.id = :before::uuid), true), :before::uuid)`;

/** Lists of the approvals of some projects. */
@Injectable()
export class ApprovalSearchRepository {
  /** Lists approvals: what nobody has decided comes first, then the oldest. Arguments take up to 32 KiB, so a page may be cut. */
  async list(
    connection: Connection,
    { projectIds, state, agentId, risk, idPrefix }: ApprovalFilter,
    { before, skip, limit, includeTotal }: PageRequest,
  ): Promise<Page<ApprovalEntity>> {
    const all = selectApprovals(connection).where(OF_PROJECT('approval')).andWhere(IS_PRESENT);
    // Constants, not parameters: PostgreSQL then uses the indexes.
    if (state !== undefined) all.andWhere(state === 'pending' ? "approval.state = 'pending'" : IS_DECIDED);
    if (state !== undefined && state !== 'pending') all.andWhere({ state });
    if (agentId !== undefined) all.andWhere({ agentId });
    if (risk !== undefined) all.andWhere({ risk });
    if (idPrefix !== undefined) all.andWhere('approval.id BETWEEN :firstId AND :lastId', idRange(idPrefix));
    const part = inOrder(all.clone().select('approval.id', 'id').addSelect(IS_DECIDED, 'decided'));
    if (before !== undefined)
      part.andWhere(state === undefined ? IS_AFTER : 'approval.id > :before', { before });
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
    const request = { skip: 0, limit, includeTotal: false };
    const page = await readPage<ApprovalEntity>(connection, inOrder(rows), request, BYTES_OF_AN_APPROVAL);
    const counted = includeTotal ? page.outOf(await countOf(connection, projectIds, all)) : page;
    return counted.continuedBy('before', ({ id }) => id);
  }
}

function inOrder(query: SelectQueryBuilder<ApprovalEntity>): SelectQueryBuilder<ApprovalEntity> {
  return query.orderBy(IS_DECIDED).addOrderBy('approval.id');
}
