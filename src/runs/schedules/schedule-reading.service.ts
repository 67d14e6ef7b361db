import { Injectable } from '@nestjs/common';
import { projectIdsOf, reachOf } from '../../access/reach.js';
import type { UserPrincipal } from '../../access/principal.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { targetOf } from '../../audit-log/audited-act.js';
import { Database } from '../../database/database.js';
import type { Page, PageRequest } from '../../database/page.js';
import { ListReads } from '../../http/list-reads.js';
import { projectsFor, reached } from '../../http/required-role.js';
import type { ScheduleEntity } from './schedule.entity.js';
import { type ScheduleFilter, SchedulesRepository } from './schedules.repository.js';

/** Reads schedules for people. */
@Injectable()
export class ScheduleReadingService {
  constructor(
    private readonly schedules: SchedulesRepository,
    private readonly lists: ListReads,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  list(
    caller: UserPrincipal,
    { projectId, ...rest }: Omit<ScheduleFilter, 'projectIds'> & { readonly projectId?: string },
    request: PageRequest,
  ): Promise<Page<ScheduleEntity>> {
    const filter = { ...rest, projectIds: projectsFor(caller, projectId) };
    return this.lists.page(caller.userId, request, false, (connection) =>
      this.schedules.list(connection, filter, request),
    );
  }

  /** Reads a schedule. An operator's read in a project that is not theirs is audited. @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<ScheduleEntity> {
    const reach = reachOf(caller);
    const found = await this.schedules.find(this.database.people.manager, projectIdsOf(reach), id);
    const schedule = reached(reach, found, 'Schedule');
    this.auditLog.read(caller, 'schedule.read', targetOf('schedule', schedule));
    return schedule;
  }
}
