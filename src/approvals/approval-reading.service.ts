import { Injectable } from '@nestjs/common';
import { projectIdsOf, reachOf } from '../access/reach.js';
import { identityOf, type UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import type { Page } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { namesReader, readActorNames } from '../http/actor-names.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor, reached } from '../http/required-role.js';
import { ApprovalSearchRepository } from './approval-search.repository.js';
import type { ApprovalEntity } from './approval.entity.js';
import type { ApprovalFilter, ApprovalPageRequest, ReaderFacts } from './approval.types.js';
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
  ): Promise<Page<ApprovalEntity & ReaderFacts>> {
    const filter = { ...rest, projectIds: projectsFor(caller, projectId) };
    const { state, agentId, runId, risk, idPrefix } = rest;
    const isNarrowed = [agentId, runId, risk, idPrefix].some((each) => each !== undefined);
    const isFiltered = isNarrowed || (state ?? 'pending') !== 'pending';
    return this.lists.page(caller.userId, request, isFiltered, async (connection) => {
      const page = await this.search.list(connection, filter, request);
      return page.map(await this.shownTo(caller, connection, page.items));
    });
  }

  /** An operator's read in a project that is not theirs is audited. @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<ApprovalEntity & ReaderFacts> {
    const reach = reachOf(caller);
    const { manager } = this.database.people;
    const found = await this.approvals.find(manager, projectIdsOf(reach), id);
    const approval = reached(reach, found, 'Approval');
    this.auditLog.read(caller, 'approval.read', targetOf('approval', approval));
    return (await this.shownTo(caller, manager, [approval]))(approval);
  }

  /** Adds the names of who decided, and whether the caller asked for the run. */
  private async shownTo(
    caller: UserPrincipal,
    connection: Connection,
    approvals: readonly ApprovalEntity[],
  ): Promise<(approval: ApprovalEntity) => ApprovalEntity & ReaderFacts> {
    const actors = approvals.flatMap(({ firstApprovedBy, decidedBy }) => [firstApprovedBy, decidedBy]);
    const namesOf = await readActorNames(connection, namesReader(caller), actors);
    const runIds = approvals.flatMap(({ runId }) => runId ?? []);
    const userId = caller.credential === 'project_key' ? null : caller.userId;
    const asked = await this.search.askedBy(connection, runIds, identityOf(caller), userId);
    return (approval) => ({
      ...approval,
      firstApprover: namesOf(approval.firstApprovedBy),
      decider: namesOf(approval.decidedBy),
      isAskedByReader: approval.runId !== null && asked.has(approval.runId),
    });
  }
}
