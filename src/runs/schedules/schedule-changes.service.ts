import { Injectable } from '@nestjs/common';
import { ownReachOf, reachOf } from '../../access/reach.js';
import { identityOf, type UserPrincipal } from '../../access/principal.js';
import { AgentLifecycleService } from '../../agents/agent-lifecycle.service.js';
import { AuditLogService } from '../../audit-log/audit-log.service.js';
import { targetOf } from '../../audit-log/audited-act.js';
import { Database } from '../../database/database.js';
import { databaseTime } from '../../database/clock.js';
import { inTransaction } from '../../database/transaction.js';
import { lockSchedule } from './locked-schedule.js';
import type { ScheduleEntity } from './schedule.entity.js';
import type { ScheduleTerms } from './schedule.types.js';
import { SchedulesRepository } from './schedules.repository.js';
import { startOf } from './started-clock.js';

/** Terms of which a change begins the clock again. */
const CLOCK_TERMS = ['cron', 'everySeconds', 'timezone', 'isActive'] as const;

/** Changes and removes schedules at the request of people. */
@Injectable()
export class ScheduleChangesService {
  constructor(
    private readonly schedules: SchedulesRepository,
    private readonly agents: AgentLifecycleService,
    private readonly auditLog: AuditLogService,
    private readonly database: Database,
  ) {}

  /** Absent terms stay. Another clock and the end of a pause begin again from now. @throws NotFoundError, ForbiddenError */
  update(caller: UserPrincipal, id: string, change: Partial<ScheduleTerms>): Promise<ScheduleEntity> {
    return inTransaction(this.database.people.manager, async (tx) => {
      const { schedule } = await lockSchedule(this.schedules, this.agents, tx, ownReachOf(caller), id);
      const terms = { ...schedule, ...change };
      const isNewClock = CLOCK_TERMS.some((name) => terms[name] !== schedule[name]);
      const started = isNewClock ? await startOf(tx, terms) : {};
      const isPauseAlone = Object.keys(change).every((name) => name === 'isActive');
      const askedBy = isPauseAlone
        ? schedule.askedBy
        : [...new Set([...schedule.askedBy, identityOf(caller)])];
      const updatedAt = await databaseTime(tx);
      await this.schedules.update(tx, id, { ...change, ...started, askedBy, updatedAt });
      await this.auditLog.write(tx, caller, 'schedule.update', targetOf('schedule', schedule), {
        changed: Object.keys(change),
      });
      return (await this.schedules.find(tx, null, id))!;
    });
  }

  /** Removes a schedule; its runs stay. @throws NotFoundError, ForbiddenError */
  async delete(caller: UserPrincipal, id: string): Promise<void> {
    await inTransaction(this.database.people.manager, async (tx) => {
      const { schedule } = await lockSchedule(this.schedules, this.agents, tx, reachOf(caller), id);
      await this.schedules.delete(tx, id);
      await this.auditLog.write(tx, caller, 'schedule.delete', targetOf('schedule', schedule));
    });
  }
}
