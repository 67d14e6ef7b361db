import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IdPrefix } from '../../http/id-prefix.js';
import { LABELS_SCHEMA, LabelRules, LabelFilter } from '../../http/label-fields.js';
import { ANY_JSON } from '../../http/openapi/property-schemas.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import { ChoicesParameter } from '../../http/list-fields.js';
import { ProjectParameter } from '../../http/project-fields.js';
import {
  ChoiceField,
  IdField,
  NameField,
  TextField,
  WholeNumberField,
  WholeNumberParameter,
} from '../../http/request-fields.js';
import { StoredJson } from '../../http/stored-json.js';
import { Moment } from '../../http/time-range.js';
import { RUN_STATUSES, type RunStatus } from '../../lifecycle/run-lifecycle.js';
import { RetryField, type RetryRequest } from './retry-field.js';
import {
  MAXIMUM_REASON,
  MAXIMUM_VALUE_BYTES,
  RUN_SORTS,
  RUN_SOURCES,
  type RunSort,
  type RunSource,
} from '../run.types.js';

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
    description: 'A name of your own for what the run continues; a filter for runs.',
    example: 'ticket-4711',
  });

export class CreateRunRequest {
  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description:
      `The agent's task: any JSON value, at most ${MAXIMUM_VALUE_BYTES} bytes as JSON. Store larger data elsewhere, ` +
      'and refer to it.',
    example: { question: 'How many invoices are open?' },
  })
  @StoredJson({ maximumBytes: MAXIMUM_VALUE_BYTES })
  input?: unknown;

  @runName()
  name?: string;

  @ApiProperty({
    ...LABELS_SCHEMA,
    type: 'object',
    selfRequired: false,
    description: 'Keys must not contain a colon.',
  })
  @IsOptional()
  @LabelRules()
  labels?: Record<string, string>;

  @conversation()
  conversation_id?: string;

  @WholeNumberField({
    min: 0,
    max: 9,
    optional: true,
    description: 'The highest priority starts first. Default: 5.',
    example: 5,
  })
  priority?: number;

  @WholeNumberField({
    min: 1,
    max: LONGEST_TIMEOUT_SECONDS,
    optional: true,
    description: 'Time limit of an attempt. Default: none.',
    example: 3_600,
  })
  timeout_seconds?: number;

  @Moment('Earliest start of the run.')
  start_after?: Date;

  @Moment('Latest start of the run: it is cancelled if it has not started by then.')
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
    description: 'Maximum number of seconds to wait for the end of the run.',
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
    description: 'Only runs with this status; repeat it for several.',
  })
  status?: RunStatus[];

  @ChoiceField(RUN_SOURCES, { enumName: 'RunSource', optional: true })
  source?: RunSource;

  @TextField({ max: MAXIMUM_CONVERSATION, optional: true })
  conversation_id?: string;

  @LabelFilter()
  label?: string[];

  @TextField({ max: 100, optional: true, description: "Text in the run's name; case-insensitive." })
  q?: string;

  @WholeNumberParameter({ min: 1, max: MAXIMUM_INTEGER, optional: true })
  config_version?: number;

  @Moment('Only runs created at or after this time.')
  since?: Date;

  @Moment('Only runs created before this time.')
  until?: Date;

  @IdPrefix()
  id_prefix?: string;

  @ChoiceField(RUN_SORTS, {
    enumName: 'RunSort',
    optional: true,
    description: 'Default: `-created`, the newest first. `created`: the oldest first.',
  })
  sort?: RunSort;
}
