import { Injectable } from '@nestjs/common';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { Transaction } from '../database/transaction.js';
import { UnavailableError } from '../errors/domain-error.js';
import { SERVICE } from './service-target.js';
import type { TimedSetting } from './switch.types.js';
import { SwitchesService } from './switches.service.js';

/** `Retry-After` of a maintenance without an end, and the maximum of one with an end; seconds. */
const RETRY_SECONDS = 60;
const MAXIMUM_RETRY_SECONDS = 3_600;

/** Maintenance: people's changes are refused with a reason, and all else continues. */
@Injectable()
export class MaintenanceService {
  constructor(
    private readonly switches: SwitchesService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @throws UnavailableError during maintenance */
  async requireNone(): Promise<void> {
    await this.switches.whenKnown;
    const now = this.switches.setting('maintenance');
    if (now) throw refusalOf(now);
  }

  /** The maintenance that is on; null: none. */
  async present(): Promise<TimedSetting | null> {
    await this.switches.whenKnown;
    return this.switches.setting('maintenance');
  }

  /** Begins a maintenance, or changes its reason and its end. @throws InvalidError */
  async start(
    tx: Transaction,
    caller: UserPrincipal,
    { reason, until }: { readonly reason: string; readonly until?: Date },
  ): Promise<TimedSetting> {
    const endsAt = until?.toISOString() ?? null;
    const setting = { value: reason, endsAt, setBy: actorOf(caller) };
    const started = await this.switches.turnOn(tx, 'maintenance', setting);
    await this.auditLog.write(tx, caller, 'maintenance.start', SERVICE, { reason, until: endsAt });
    return started;
  }

  /** Ends the maintenance, if there is one. */
  async end(tx: Transaction, caller: UserPrincipal): Promise<void> {
    if (await this.switches.turnOff(tx, 'maintenance'))
      await this.auditLog.write(tx, caller, 'maintenance.end', SERVICE);
  }
}

function refusalOf({ value, endsAt, leftMs }: TimedSetting): UnavailableError {
  const end = endsAt === null ? '' : ` (until ${endsAt})`;
  const seconds =
    leftMs === null ? RETRY_SECONDS : Math.min(Math.ceil(leftMs / 1_000), MAXIMUM_RETRY_SECONDS);
  return new UnavailableError(
    `Changes are refused during maintenance: ${value}${end}`,
    seconds,
    'maintenance',
  );
}
