import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { isAtLeast, roleFor } from '../access/roles.js';
import { grants } from '../access/scopes.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import { ForbiddenError } from '../errors/domain-error.js';
import type { AgentSpanEntity } from './agent-span.entity.js';

/** Lets maintainers have the content of spans, and records each time. */
@Injectable()
export class SpanRevealsService {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Checks that the caller may change agents of this project; being an operator is not enough. @throws ForbiddenError */
  assertMayReveal({ scopes, memberships }: UserPrincipal, projectId: string): void {
    if (!grants(scopes, 'agents')) throw new ForbiddenError('missing_scope', 'Missing scope: agents');
    const role = memberships.find((it) => it.projectId === projectId)?.role;
    if (role === undefined || !isAtLeast(role, roleFor('agents')))
      throw new ForbiddenError('missing_role', `Missing role: ${roleFor('agents')}`);
  }

  /** Records that the caller gets the content of a span. The entry is committed before it is sent. */
  async record(
    caller: UserPrincipal,
    run: { readonly id: string; readonly projectId: string; readonly agentId: string },
    span: AgentSpanEntity,
  ): Promise<void> {
    await this.database.people.transaction(
      (tx) =>
        this.auditLog.write(tx, caller, 'run.reveal', targetOf('run', run), {
          span_id: span.spanId.toString('hex'),
          trace_id: span.traceId.toString('hex'),
        }),
      caller.userId,
    );
  }
}
