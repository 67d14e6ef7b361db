import { Injectable } from '@nestjs/common';
import { projectIdsOf, type Reach, reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { type ActorNames, namesReader, readActorNames, withActorNames } from '../http/actor-names.js';
import { ListReads } from '../http/list-reads.js';
import { reached } from '../http/required-role.js';
import type { RunEventEntity } from './run-event.entity.js';
import { RunEventsRepository } from './run-events.repository.js';
import type { RunEntity } from './run.entity.js';
import { RunsRepository } from './runs.repository.js';

/** Reads runs for people. */
@Injectable()
export class RunReadingService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly events: RunEventsRepository,
    private readonly lists: ListReads,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Reads a run. An operator's read in a project that is not theirs is audited. @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<RunEntity> {
    const run = await this.findWithin(reachOf(caller), id);
    this.auditLog.read(caller, 'run.read', targetOf('run', run));
    return run;
  }

  /** The events of a run, highest sequence first. @throws NotFoundError */
  async history(
    caller: UserPrincipal,
    id: string,
    request: PageRequest,
  ): Promise<Page<RunEventEntity & ActorNames>> {
    const run = await this.read(caller, id);
    const part = { ...request, includeTotal: false };
    const events = await this.lists.page(caller.userId, part, false, async (connection) =>
      withActorNames(connection, namesReader(caller), await this.events.list(connection, id, part)),
    );
    return request.includeTotal ? events.outOf(run.lastSequence) : events;
  }

  /** Adds the name of the person who asked for a run. */
  async named(caller: UserPrincipal, run: RunEntity): Promise<RunEntity & ActorNames> {
    const { manager } = this.database.people;
    const namesOf = await readActorNames(manager, namesReader(caller), [run.actor]);
    return { ...run, ...namesOf(run.actor) };
  }

  /** Reads a run again that the caller was found to see. */
  find(id: string): Promise<RunEntity | null> {
    return this.runs.find(this.database.people.manager, id);
  }

  /** @throws NotFoundError if there is no such run within the reach; ForbiddenError */
  async findWithin(reach: Reach, id: string): Promise<RunEntity> {
    const { manager } = this.database.people;
    const projectIds = projectIdsOf(reach);
    const found = projectIds
      ? await this.runs.findWithin(manager, projectIds, id)
      : await this.runs.find(manager, id);
    return reached(reach, found, 'Run');
  }
}
