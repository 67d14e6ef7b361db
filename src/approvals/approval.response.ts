import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ActorEmailProperty, ActorNameProperty } from '../http/actor-name-properties.js';
import { ANY_JSON } from '../http/openapi/property-schemas.js';
import {
  APPROVAL_DECISIONS,
  APPROVAL_STATES,
  type ApprovalDecision,
  type ApprovalState,
} from '../lifecycle/approval-lifecycle.js';
import type { ApprovalEntity } from './approval.entity.js';
import { type Risk, RISKS, type ReaderFacts } from './approval.types.js';

const EXAMPLE_ID = '0192f0c7-3c1e-7b10-8c11-6f1c1c7be0aa';
const EXAMPLE_SHA = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';

export class ApprovalActionResponse {
  @ApiProperty({ example: 'send_payment' })
  name: string;

  @ApiProperty({
    ...ANY_JSON,
    nullable: true,
    description: 'Any JSON value, as the agent sent it.',
    example: { to: 'DE02120300000000202051', euros: 120 },
  })
  args: unknown;
}

export class ApprovalResponse {
  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ type: String, format: 'uuid', description: 'The same as `id`.', example: EXAMPLE_ID })
  approval_id: string;

  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11' })
  project_id: string;

  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({ example: 'invoice-reader' })
  agent_name: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The run that waits for it. Null: none, or it was deleted.',
  })
  run_id: string | null;

  @ApiProperty({ description: "The agent's own id for the question.", example: 'call_17' })
  approval_key: string;

  @ApiProperty({ example: 'Pay invoice 4711' })
  title: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty()
  action: ApprovalActionResponse;

  @ApiProperty({
    description:
      'SHA-256 of `action.args` in the canonical form of RFC 8785, in hexadecimal. A decision contains it, and the ' +
      'agent compares it with what it runs.',
    example: EXAMPLE_SHA,
  })
  args_sha256: string;

  @ApiProperty({ enum: RISKS, enumName: 'ApprovalRisk' })
  risk: Risk;

  @ApiProperty({ enum: APPROVAL_DECISIONS, enumName: 'ApprovalDecision', isArray: true })
  allowed_decisions: ApprovalDecision[];

  @ApiProperty({
    enum: APPROVAL_STATES,
    enumName: 'ApprovalState',
    description: '`expired`: nobody decided in time, which is not a rejection by a person.',
  })
  state: ApprovalState;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The first of two required approvers: `user:<id>`. Null: nobody yet, or one approver is enough.',
    example: null,
  })
  first_approved_by: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Who decided: `user:<id>`, or `key:<id>`, an API key.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  decided_by: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'The invoice is right' })
  reason: string | null;

  @ApiProperty({
    ...ANY_JSON,
    nullable: true,
    description:
      "Only for `edited`: the arguments that replace those of the action. While `pending`: the first approver's " +
      'proposal.',
    example: null,
  })
  edited_args: unknown;

  @ApiProperty({ type: String, nullable: true, description: 'Only for `responded`: the answer as text.' })
  response: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  requested_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  decided_at: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  expires_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the agent fetched the answer.',
  })
  fetched_at: string | null;
}

/** An approval with the names of who decided it, which people read. */
export class NamedApprovalResponse extends ApprovalResponse {
  @ActorNameProperty()
  first_approved_by_name: string | null;

  @ActorEmailProperty()
  first_approved_by_email: string | null;

  @ActorNameProperty()
  decided_by_name: string | null;

  @ActorEmailProperty()
  decided_by_email: string | null;

  @ApiProperty({
    description:
      "True: the caller requested the run (in person, with a key or by their schedule), and so can't be one of two " +
      'approvers.',
    example: false,
  })
  asked_by_caller: boolean;
}

/** An approval in webhook messages: a receiver is a third party, so it quotes no argument. */
export class ApprovalSummaryResponse extends OmitType(ApprovalResponse, ['action', 'edited_args']) {
  @ApiProperty({ example: 'send_payment' })
  action_name: string;
}

export function toApprovalResponse(approval: ApprovalEntity): ApprovalResponse {
  const { action_name: name, ...shown } = toApprovalSummary(approval);
  return { ...shown, action: { name, args: approval.args }, edited_args: approval.editedArgs };
}

export function toNamedApprovalResponse(approval: ApprovalEntity & ReaderFacts): NamedApprovalResponse {
  const { firstApprover, decider, isAskedByReader } = approval;
  return {
    ...toApprovalResponse(approval),
    first_approved_by_name: firstApprover.actorName,
    first_approved_by_email: firstApprover.actorEmail,
    decided_by_name: decider.actorName,
    decided_by_email: decider.actorEmail,
    asked_by_caller: isAskedByReader,
  };
}

export function toApprovalSummary(approval: ApprovalEntity): ApprovalSummaryResponse {
  return {
    id: approval.id,
    approval_id: approval.id,
    project_id: approval.projectId,
    agent_id: approval.agentId,
    agent_name: approval.agentName,
    run_id: approval.runId,
    approval_key: approval.approvalKey,
    title: approval.title,
    description: approval.description,
    action_name: approval.actionName,
    args_sha256: approval.argsSha256,
    risk: approval.risk,
    allowed_decisions: approval.allowedDecisions,
    state: approval.state,
    first_approved_by: approval.firstApprovedBy,
    decided_by: approval.decidedBy,
    reason: approval.reason,
    response: approval.response,
    requested_at: approval.requestedAt,
    decided_at: approval.decidedAt,
    expires_at: approval.expiresAt,
    fetched_at: approval.fetchedAt,
  };
}
