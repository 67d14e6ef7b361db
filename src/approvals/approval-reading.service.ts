import { Injectable } from '@nestjs/common';
import { projectIdsOf, reachOf, type UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import type { Page } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor, reached } from '../http/required-role.js';
import { ApprovalSearchRepository } from './approval-search.repository.js';
import type { ApprovalEntity } from './approval.entity.js';
import type { ApprovalFilter, ApprovalPageRequest } from './approval.types.js';
import { ApprovalsRepository } from './approvals.repository.js';

/** Shows approvals to people. */
@Injectable()
export class ApprovalReadingService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly search: ApprovalSearchRepository,
    private readonly lists: ListReads,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @throws NotFoundError, UnavailableError, InvalidError as {@link ListReads.page} */
  async list(
    caller: UserPrincipal,
    { projectId, ...rest }: Omit<ApprovalFilter, 'projectIds'> & { readonly projectId?: string },
    request: ApprovalPageRequest,
  ): Promise<Page<ApprovalEntity>> {
    const filter = { ...rest, projectIds: projectsFor(caller, projectId) };
    const { state, agentId, runId, risk, idPrefix } = rest;
    const isNarrowed = [agentId, runId, risk, idPrefix].some((each) => each !== undefined);
    const isFiltered = isNarrowed || (state ?? 'pending') !== 'pending';
    return this.lists.page(caller.userId, request, isFiltered, (connection) =>
      this.search.list(connection, filter, request),
    );
  }

  /** An operator's read in a project that is not theirs is audited. @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<ApprovalEntity> {
    const reach = reachOf(caller);
    const found = await this.approvals.find(this.database.people.manager, projectIdsOf(reach), id);
    const approval = reached(reach, found, 'Approval');
    this.auditLog.read(caller, 'approval.read', targetOf('approval', approval));
    return approval;
  }
}
