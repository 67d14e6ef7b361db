import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { HistoryPageQuery } from '../../http/page-query.js';
import { Since, Until } from '../../http/time-range.js';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditAction, type AuditOutcome } from '../audit-actions.js';
import { actorOf, type UserPrincipal } from '../../access/principal.js';
import type { AuditFilter, AuditReader } from '../audit-log.types.js';
import { projectsFor } from '../../http/required-role.js';
import { ChoiceField, IdField, Taken, TextField } from '../../http/request-fields.js';

export class ListAuditQuery extends HistoryPageQuery {
  @TextField({
    max: 100,
    optional: true,
    description: '`user:<id>`, `key:<id>`, `agent:<id>`, `anonymous` or `service`.',
  })
  actor?: string;

  @ApiProperty({ required: false, type: String, maxLength: 50, description: 'The `action` of an entry.' })
  @Taken()
  @IsOptional()
  @IsIn(Object.keys(AUDIT_ACTIONS))
  action?: AuditAction;

  @IdField({ optional: true, description: 'The project that owns the target.' })
  project_id?: string;

  @IdField({ optional: true })
  target_id?: string;

  @IdField({
    optional: true,
    description:
      'An agent, and what belongs to it: deployments, runs, keys, schedules, approvals, budgets, pauses.',
  })
  agent_id?: string;

  @ChoiceField(AUDIT_OUTCOMES, { enumName: 'AuditOutcome', optional: true })
  outcome?: AuditOutcome;

  @Since()
  since?: Date;

  @Until()
  until?: Date;
}

/**
 * A caller reads the entries of the projects that they own, and their own: a project's key those with itself as the actor.
 *
 * @param named the project to which the request narrows the list
 * @throws NotFoundError if the caller sees no such project
 */
export function auditReader(caller: UserPrincipal, named: string | undefined): AuditReader {
  const { userId, isAdmin, memberships, credential } = caller;
  if (named !== undefined) projectsFor(caller, named);
  const owned = memberships.filter(({ role }) => role === 'owner');
  const keyActor = credential === 'project_key' ? actorOf(caller) : null;
  return {
    userId,
    isAdmin,
    keyActor,
    projectIds: owned.map(({ projectId }) => projectId),
    memberOf: memberships.map(({ projectId }) => projectId),
  };
}

export function auditFilter({
  actor,
  action,
  target_id: targetId,
  agent_id: agentId,
  outcome,
  project_id: projectId,
  since,
  until,
}: ListAuditQuery): AuditFilter {
  return { actor, action, targetId, agentId, outcome, projectId, since, until };
}
