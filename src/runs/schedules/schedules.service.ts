import { Inject, Injectable } from '@nestjs/common';
import { ownReachOf } from '../../access/reach.js';
import { actorOf, identityOf, type UserPrincipal } from '../../access/principal.js';
import { AgentLifecycleService } from '../../agents/agent-lifecycle.service.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { targetOf } from '../../audit-log/audited-act.js';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { newId } from '../../database/new-id.js';
import type { Transaction } from '../../database/transaction.js';
import { ConflictError } from '../../errors/domain-error.js';
import { holdProject } from '../../http/held-project.js';
import { projectLimit } from '../../http/project-limit.js';
import type { RunEntity } from '../run.entity.js';
import { RunsService } from '../runs.service.js';
import { lockSchedule } from './locked-schedule.js';
import type { ScheduleEntity } from './schedule.entity.js';
import type { ScheduleTerms } from './schedule.types.js';
import { scheduledRun } from './scheduled-run.js';
import { SchedulesRepository } from './schedules.repository.js';
import { startOf } from './started-clock.js';

/** Makes schedules, and their runs outside of the due times, at the request of people. */
@Injectable()
export class SchedulesService {
  constructor(
    private readonly schedules: SchedulesRepository,
    private readonly runs: RunsService,
    private readonly agents: AgentLifecycleService,
    private readonly auditLog: AuditLogService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if the project has as many schedules as it may have
   */
  async create(
    tx: Transaction,
    caller: UserPrincipal,
    agentId: string,
    terms: ScheduleTerms,
  ): Promise<ScheduleEntity> {
    const agent = await this.agents.lockWithin(tx, ownReachOf(caller), agentId);
    const { projectId } = agent;
    await this.assertRoom(tx, projectId);
    const id = newId();
    const running = { ...terms, ...(await startOf(tx, terms)) };
    await this.schedules.insert(tx, { ...running, id, agentId, projectId, askedBy: [identityOf(caller)] });
    await this.auditLog.write(
      tx,
      caller,
      'schedule.create',
      targetOf('schedule', { id, projectId, agentId }),
    );
    return (await this.schedules.find(tx, null, id))!;
  }

  /** Makes a run of the schedule now, outside of its due times, also while it is paused. @throws as {@link RunsService.ask} */
  async trigger(tx: Transaction, caller: UserPrincipal, id: string): Promise<RunEntity> {
    const { agent, schedule } = await lockSchedule(this.schedules, this.agents, tx, ownReachOf(caller), id);
    const run = await this.runs.queueFor(tx, scheduledRun(actorOf(caller), agent, schedule, null));
    await this.auditLog.write(tx, caller, 'schedule.trigger', targetOf('schedule', schedule), {
      run_id: run.id,
    });
    return run;
  }

  private async assertRoom(tx: Transaction, projectId: string): Promise<void> {
    await holdProject(tx, projectId);
    const maximum = await projectLimit(tx, projectId, 'schedules', this.settings.MAX_SCHEDULES_PER_PROJECT);
    if ((await this.schedules.count(tx, projectId)) >= maximum)
      throw new ConflictError(
        'limit_reached',
        `The project has ${maximum} schedules, the maximum: delete one first`,
      );
  }
}
