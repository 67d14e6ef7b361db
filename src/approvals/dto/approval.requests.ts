import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { InvalidError } from '../../errors/domain-error.js';
import { isRecord } from '../../http/json-record.js';
import { IdPrefix } from '../../http/id-prefix.js';
import { ANY_JSON } from '../../http/openapi/property-schemas.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import { ChoicesField } from '../../http/list-fields.js';
import { ProjectParameter } from '../../http/project-fields.js';
import {
  ChoiceField,
  IdField,
  NameField,
  NumberParameter,
  Rule,
  Taken,
  TextField,
  WholeNumberField,
} from '../../http/request-fields.js';
import { StoredJson } from '../../http/stored-json.js';
import { Lenient } from '../../http/validation.js';
import {
  APPROVAL_DECISIONS,
  APPROVAL_STATES,
  type ApprovalDecision,
  type ApprovalState,
} from '../../lifecycle/approval-lifecycle.js';
import { MAXIMUM_ARGS_BYTES, type Question, type Risk, RISKS, type Verdict } from '../approval.types.js';

const MAXIMUM_KEY = 200;
const MAXIMUM_TITLE = 200;
const MAXIMUM_DESCRIPTION = 8_192;
const MAXIMUM_REASON = 1_000;
const MAXIMUM_RESPONSE = 8_192;
const LENGTH_OF_A_SHA256 = 64;
/** Maximum time for which a request waits for a decision; seconds. */
const LONGEST_WAIT_SECONDS = 60;
const A_DAY_SECONDS = 24 * 3_600;
const LONGEST_LIFE_SECONDS = 30 * A_DAY_SECONDS;
const USUAL_DECISIONS: readonly ApprovalDecision[] = ['approve', 'reject'];

export class ApprovalActionRequest {
  @NameField({ min: 1, max: MAXIMUM_TITLE, example: 'send_payment' })
  name: string;

  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description: `Any JSON value, at most ${MAXIMUM_ARGS_BYTES} bytes as JSON. Shown to people unchanged.`,
    example: { to: 'DE02120300000000202051', euros: 120 },
  })
  @StoredJson({ maximumBytes: MAXIMUM_ARGS_BYTES })
  args?: unknown;
}

const NO_ACTION = 'action must be an object with a name';

const ActionField = () =>
  applyDecorators(
    ApiProperty({ type: ApprovalActionRequest }),
    Taken(),
    Type(() => ApprovalActionRequest),
    Rule(
      'isAction',
      // A value that is neither an object nor a list is refused once, by the other rule.
      (value) => isRecord(value) || (typeof value !== 'object' && value !== undefined),
      () => NO_ACTION,
    ),
    ValidateNested({ message: NO_ACTION }),
  );

export class AskApprovalRequest {
  @TextField({
    min: 1,
    max: MAXIMUM_KEY,
    description:
      "The agent's own id for the question, for example the id of a tool call. Repeating it returns the same " +
      'approval.',
    example: 'call_17',
  })
  approval_key: string;

  @IdField({ optional: true, description: 'The run that waits for it, one that the agent has.' })
  run_id?: string;

  @NameField({ min: 1, max: MAXIMUM_TITLE, example: 'Pay invoice 4711' })
  title: string;

  @TextField({ min: 1, max: MAXIMUM_DESCRIPTION, optional: true, example: 'It is due on Friday.' })
  description?: string;

  @ActionField()
  action: ApprovalActionRequest;

  @ChoiceField(RISKS, { enumName: 'ApprovalRisk', optional: true, description: 'Absent: `medium`.' })
  risk?: Risk;

  @ChoicesField(APPROVAL_DECISIONS, {
    enumName: 'ApprovalDecision',
    default: USUAL_DECISIONS,
    description: 'The decisions that the agent accepts.',
  })
  allowed_decisions?: ApprovalDecision[];

  @WholeNumberField({
    min: 1,
    max: LONGEST_LIFE_SECONDS,
    optional: true,
    description: 'Time to decide. Default: a day.',
    example: 3_600,
  })
  expires_in_seconds?: number;

  @IdField({ optional: true, description: 'Must be the agent of the key.' })
  agent_id?: string;
}

@Lenient()
export class WithdrawApprovalRequest {
  @IdField({ optional: true, description: 'Must be the agent of the key.' })
  agent_id?: string;
}

export class WaitApprovalQuery {
  @NumberParameter({
    min: 0,
    max: LONGEST_WAIT_SECONDS,
    optional: true,
    default: 0,
    description: 'Maximum number of seconds to wait for an answer.',
  })
  wait: number = 0;
}

export class DecideApprovalRequest {
  @ChoiceField(APPROVAL_DECISIONS, { enumName: 'ApprovalDecision' })
  decision: ApprovalDecision;

  @TextField({
    min: LENGTH_OF_A_SHA256,
    max: LENGTH_OF_A_SHA256,
    description:
      'The `args_sha256` of the approval that you read: if its arguments have changed, the decision is refused with ' +
      'a 409.',
    example: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  })
  args_sha256: string;

  @TextField({ min: 1, max: MAXIMUM_REASON, optional: true, example: 'The invoice is right' })
  reason?: string;

  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description: `Required for \`edit\`, and only then: the new arguments, at most ${MAXIMUM_ARGS_BYTES} bytes as JSON.`,
    example: { to: 'DE02120300000000202051', euros: 20 },
  })
  @StoredJson({ maximumBytes: MAXIMUM_ARGS_BYTES })
  edited_args?: unknown;

  @TextField({
    min: 1,
    max: MAXIMUM_RESPONSE,
    optional: true,
    description: 'Required for `respond`, and only then: the answer as text.',
    example: 'Ask the supplier for a new invoice first.',
  })
  response?: string;
}

export class ListApprovalsQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @ChoiceField(APPROVAL_STATES, { enumName: 'ApprovalState', optional: true })
  state?: ApprovalState;

  @IdField({ optional: true })
  agent_id?: string;

  @IdField({ optional: true, description: 'Only approvals that this run waits for.' })
  run_id?: string;

  @ChoiceField(RISKS, { enumName: 'ApprovalRisk', optional: true })
  risk?: Risk;

  @IdPrefix()
  id_prefix?: string;

  @ChoiceField(APPROVAL_STATES, {
    enumName: 'ApprovalState',
    optional: true,
    description:
      'Set by `Link`: the state of `before` when it was listed, because a decision moves an approval to another ' +
      'place in the list.',
  })
  before_state?: ApprovalState;
}

export function questionOf(body: AskApprovalRequest): Question {
  return {
    approvalKey: body.approval_key,
    runId: body.run_id ?? null,
    title: body.title,
    description: body.description ?? null,
    actionName: body.action.name,
    args: body.action.args ?? null,
    risk: body.risk ?? 'medium',
    allowedDecisions: body.allowed_decisions ?? USUAL_DECISIONS,
    expiresInSeconds: body.expires_in_seconds ?? A_DAY_SECONDS,
  };
}

/** @throws InvalidError if a property of the decision is missing, or one of another decision is given */
export function verdictOf(body: DecideApprovalRequest): Verdict {
  const { decision, edited_args: editedArgs, response } = body;
  requireOnly('edited_args', (editedArgs ?? null) !== null, 'edit', decision);
  requireOnly('response', (response ?? null) !== null, 'respond', decision);
  return {
    decision,
    argsSha256: body.args_sha256,
    reason: body.reason ?? null,
    editedArgs,
    response: response ?? null,
  };
}

function requireOnly(
  field: string,
  isGiven: boolean,
  needing: ApprovalDecision,
  decision: ApprovalDecision,
): void {
  if (decision === needing && !isGiven)
    throw InvalidError.of(field, 'required', `${field} must be given with the decision ${needing}`);
  if (decision !== needing && isGiven)
    throw InvalidError.of(field, 'not_allowed', `${field} is only allowed with the decision ${needing}`);
}
