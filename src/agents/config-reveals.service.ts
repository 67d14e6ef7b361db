import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import { assertMayReveal } from './config-view.js';

/** Lets callers have the secrets of configs, and records each time. */
@Injectable()
export class ConfigRevealsService {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Records that the caller gets the secrets of a config version. The entry is committed before they are sent.
   *
   * @throws ForbiddenError if the caller may not have them
   */
  async record(
    caller: UserPrincipal,
    agent: { readonly id: string; readonly projectId: string },
    configVersion: number,
  ): Promise<void> {
    assertMayReveal(caller, agent.projectId);
    await this.database.people.transaction(
      (tx) =>
        this.auditLog.write(tx, caller, 'agent.reveal', targetOf('agent', agent), {
          config_version: configVersion,
        }),
      caller.userId,
    );
  }
}
