import { ApiProperty } from '@nestjs/swagger';
import {
  AUDIT_ACTIONS,
  AUDIT_OUTCOMES,
  type AuditAction,
  type AuditOutcome,
  type AuditTargetType,
} from './audit-actions.js';
import { ActorEmailProperty, ActorNameProperty } from '../http/actor-name-properties.js';
import { shownNames } from '../http/actor-names.js';
import type { AuditDetails, NamedAuditEntry } from './audit-log.types.js';
import { toLoggedEntry } from './audited-act.js';

const ACTIONS = Object.entries(AUDIT_ACTIONS).map(([action, meaning]) => `- \`${action}\`: ${meaning}`);

export class AuditEntryResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c6-4d8e-7a31-9c02-5e7f1b3d9a64' })
  id: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  at: string;

  @ApiProperty({
    example: 'user:01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  actor: string;

  @ActorNameProperty()
  actor_name: string | null;

  @ActorEmailProperty()
  actor_email: string | null;

  @ApiProperty({
    type: String,
    description: [
      'More may be added. In brackets: the target, if the name does not begin with it; in parentheses or alone: names of `details`. Reads are recorded for operators who read what belongs to others, once a minute per operator, IP address and target; reveals of secrets are recorded each time.\n',
      ...ACTIONS,
    ].join('\n'),
    example: 'agent.create',
  })
  action: AuditAction;

  @ApiProperty({ type: String, example: 'agent' })
  target_type: AuditTargetType;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  target_id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Name of the agent or API key, email address of the person, or name of the agent to which the target belongs. ' +
      'Null: it was deleted and `details` has no `name`, it has none, or it shares no project with the caller.',
    example: 'mail-sorter',
  })
  target_name: string | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The project that owns the target.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  project_id: string | null;

  @ApiProperty({ enum: AUDIT_OUTCOMES, enumName: 'AuditOutcome', example: 'success' })
  outcome: AuditOutcome;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7' })
  address: string | null;

  @ApiProperty({ type: String, nullable: true, example: '5f0c7f5e-8a65-4f6c-9b1c-1c6f4e7a9d20' })
  request_id: string | null;

  @ApiProperty({
    type: Object,
    additionalProperties: true,
    example: { name: 'mail-sorter' },
  })
  details: AuditDetails;
}

export function toAuditEntryResponse(entry: NamedAuditEntry): AuditEntryResponse {
  return { ...toLoggedEntry(entry), ...shownNames(entry), target_name: entry.targetName };
}
