import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Transaction } from '../database/transaction.js';
import { InvalidError } from '../errors/domain-error.js';
import type { LogLevel } from './log-levels.js';
import { SERVICE } from './service-target.js';
import type { SwitchSetting } from './switch.types.js';
import { SwitchesService } from './switches.service.js';

const AN_HOUR_MS = 3_600_000;
const MAXIMUM_HOURS = 24;

/** The level at which an instance logs now, and the setting that overrules its `LOG_LEVEL`; null: none. */
export interface PresentLevel {
  readonly level: LogLevel;
  readonly setting: SwitchSetting | null;
}

/** The level of the log of all instances, which an operator sets for a while. It always has an end, so that none stays at `debug`. */
@Injectable()
export class LogLevelService {
  constructor(
    private readonly switches: SwitchesService,
    private readonly auditLog: AuditLogService,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'LOG_LEVEL'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    switches.onChange(() => this.follow());
  }

  async present(): Promise<PresentLevel> {
    await this.switches.whenKnown;
    return this.presentOf(this.switches.setting('log_level'));
  }

  /** @param until absent: in an hour @throws InvalidError */
  async put(
    tx: Transaction,
    caller: UserPrincipal,
    { level, until }: { readonly level: LogLevel; readonly until?: Date },
  ): Promise<PresentLevel> {
    const end = until ?? new Date(Date.now() + AN_HOUR_MS);
    if (end.getTime() > Date.now() + MAXIMUM_HOURS * AN_HOUR_MS)
      throw InvalidError.of('until', 'out_of_range', `until must be within ${MAXIMUM_HOURS} hours`);
    const endsAt = end.toISOString();
    const setting = { value: level, endsAt, setBy: actorOf(caller) };
    const set = await this.switches.turnOn(tx, 'log_level', setting);
    await this.auditLog.write(tx, caller, 'log_level.put', SERVICE, { level, until: endsAt });
    return this.presentOf(set);
  }

  /** All instances log at their `LOG_LEVEL` again. */
  async delete(tx: Transaction, caller: UserPrincipal): Promise<void> {
    if (await this.switches.turnOff(tx, 'log_level'))
      await this.auditLog.write(tx, caller, 'log_level.delete', SERVICE);
  }

  private presentOf(setting: SwitchSetting | null): PresentLevel {
    return { level: (setting?.value ?? this.settings.LOG_LEVEL) as LogLevel, setting };
  }

  private follow(): void {
    const { level, setting } = this.presentOf(this.switches.setting('log_level'));
    if (this.logger.level === level) return;
    this.logger.level = level;
    this.logger.info({ level, until: setting?.endsAt ?? null }, 'the log level has changed');
  }
}
