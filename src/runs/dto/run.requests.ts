import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IdPrefix } from '../../http/id-prefix.js';
import { LabelFilter } from '../../http/label-filter.js';
import { LABELS_SCHEMA, LabelRules } from '../../http/label-rules.js';
import { ANY_JSON } from '../../http/openapi/property-schemas.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import {
  ChoiceField,
  ChoicesParameter,
  IdField,
  NameField,
  ProjectParameter,
  TextField,
  WholeNumberField,
  WholeNumberParameter,
} from '../../http/request-fields.js';
import { StoredJson } from '../../http/stored-json.js';
import { Moment } from '../../http/time-range.js';
import { RUN_STATUSES, type RunStatus } from '../../lifecycle/run-lifecycle.js';
import { RetryField, type RetryRequest } from './retry-field.js';
import { MAXIMUM_REASON, MAXIMUM_VALUE_BYTES, RUN_SOURCES, type RunSource } from '../run.types.js';

export const MAXIMUM_NAME = 200;
const MAXIMUM_CONVERSATION = 200;
const MAXIMUM_INTEGER = 2_147_483_647;
export const LONGEST_TIMEOUT_SECONDS = 30 * 24 * 3_600;
/** Maximum time for which a request waits for the end of a run; seconds. */
export const LONGEST_WAIT_SECONDS = 60;

export const runName = () =>
  NameField({ min: 1, max: MAXIMUM_NAME, optional: true, example: 'daily report' });

export const conversation = () =>
  TextField({
    min: 1,
    max: MAXIMUM_CONVERSATION,
    optional: true,
    description: 'What the run continues, in your words: runs are found by it.',
    example: 'ticket-4711',
  });

export class CreateRunRequest {
  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description: `What the agent is to work on: any JSON value, at most ${MAXIMUM_VALUE_BYTES} bytes as JSON. Store what is larger elsewhere, and name it.`,
    example: { question: 'How many invoices are open?' },
  })
  @StoredJson({ maximumBytes: MAXIMUM_VALUE_BYTES })
  input?: unknown;

  @runName()
  name?: string;

  @ApiProperty({ ...LABELS_SCHEMA, type: 'object', selfRequired: false, description: 'A key has no colon.' })
  @IsOptional()
  @LabelRules()
  labels?: Record<string, string>;

  @conversation()
  conversation_id?: string;

  @WholeNumberField({
    min: 0,
    max: 9,
    optional: true,
    description: 'The highest goes first. Absent: 5.',
    example: 5,
  })
  priority?: number;

  @WholeNumberField({
    min: 1,
    max: LONGEST_TIMEOUT_SECONDS,
    optional: true,
    description: 'How long an attempt may take. Absent: any time.',
    example: 3_600,
  })
  timeout_seconds?: number;

  @Moment('It is begun at this time at the earliest.')
  start_after?: Date;

  @Moment('It is cancelled if it was not begun before this time.')
  expires_at?: Date;

  @RetryField()
  retry?: RetryRequest;
}

export class CancelRunRequest {
  @TextField({ max: MAXIMUM_REASON, optional: true, example: 'asked by mistake' })
  reason?: string;
}

/** The query of `GET /runs/{run_id}`. */
export class ReadRunQuery {
  @WholeNumberParameter({
    min: 0,
    max: LONGEST_WAIT_SECONDS,
    optional: true,
    default: 0,
    description: 'How many seconds to wait for the end of the run at most.',
  })
  wait: number = 0;
}

export class ListRunsQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true })
  agent_id?: string;

  @IdField({ optional: true, description: 'The deployment that took them.' })
  deployment_id?: string;

  @ChoicesParameter(RUN_STATUSES, {
    enumName: 'RunStatus',
    description: 'Only those in this status; given several times: in one of them.',
  })
  status?: RunStatus[];

  @ChoiceField(RUN_SOURCES, { enumName: 'RunSource', optional: true })
  source?: RunSource;

  @TextField({ max: MAXIMUM_CONVERSATION, optional: true })
  conversation_id?: string;

  @LabelFilter()
  label?: string[];

  @TextField({ max: 100, optional: true, description: "Part of the run's name, in any case." })
  q?: string;

  @WholeNumberParameter({ min: 1, max: MAXIMUM_INTEGER, optional: true })
  config_version?: number;

  @Moment('Only those that were asked for at this time or later.')
  since?: Date;

  @Moment('Only those that were asked for before this time.')
  until?: Date;

  @IdPrefix()
  id_prefix?: string;
}
