import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { LABELS_SCHEMA, LabelRules } from '../../../http/label-fields.js';
import { ANY_JSON } from '../../../http/openapi/property-schemas.js';
import { ResourcePageQuery } from '../../../http/page-query.js';
import { ProjectParameter } from '../../../http/project-fields.js';
import {
  ChoiceField,
  FlagField,
  FlagParameter,
  IdField,
  NameField,
  Rule,
  TextField,
  WholeNumberField,
} from '../../../http/request-fields.js';
import { StoredJson } from '../../../http/stored-json.js';
import { TimeZoneField } from '../../../http/time-zone.js';
import { RetryField, type RetryRequest } from '../../dto/retry-field.js';
import { LONGEST_TIMEOUT_SECONDS, MAXIMUM_NAME } from '../../dto/run.requests.js';
import { MAXIMUM_VALUE_BYTES } from '../../run.types.js';
import { faultOfCron } from '../due-times.js';
import { CATCH_UPS, type CatchUp, type Overlap, OVERLAPS } from '../schedule.types.js';

const MAXIMUM_CRON = 100;
const SHORTEST_PAUSE_SECONDS = 10;
const LONGEST_PAUSE_SECONDS = 366 * 24 * 3_600;

/** Whether null counts as absent, or is refused. */
type Absence = { readonly optional: true; readonly nullable: true } | { readonly optional: 'not null' };

const OR_NULL = { optional: true, nullable: true } as const;
const NOT_NULL = { optional: 'not null' } as const;

const isCron = (value: unknown) =>
  typeof value !== 'string' || value.length > MAXIMUM_CRON || faultOfCron(value) === null;

const CronField = (absence: Absence) =>
  applyDecorators(
    Rule(
      'isCron',
      isCron,
      (name, value) =>
        `${name} must be five fields such as "0 9 * * MON-FRI": ${faultOfCron(value as string)}`,
    ),
    TextField({
      min: 1,
      max: MAXIMUM_CRON,
      ...absence,
      description: 'Five fields: minute, hour, day, month, day of the week. Either this or `every_seconds`.',
      example: '0 9 * * MON-FRI',
    }),
  );

const PauseField = (absence: Absence) =>
  WholeNumberField({
    min: SHORTEST_PAUSE_SECONDS,
    max: LONGEST_PAUSE_SECONDS,
    ...absence,
    description: 'Seconds from one due time to the next. Either this or `cron`.',
    example: 900,
  });

/** The properties that both a new schedule and a change of one may have. */
class ScheduleFields {
  @NameField({ min: 1, max: MAXIMUM_NAME, optional: true, nullable: true, example: 'daily report' })
  name?: string | null;

  @TimeZoneField('The time zone of `cron`, by its IANA name. Default: UTC.')
  timezone?: string;

  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description: `The input of each run: any JSON value, at most ${MAXIMUM_VALUE_BYTES} bytes as JSON.`,
    example: { report: 'daily' },
  })
  @StoredJson({ maximumBytes: MAXIMUM_VALUE_BYTES })
  input?: unknown;

  @ApiProperty({
    ...LABELS_SCHEMA,
    type: 'object',
    selfRequired: false,
    description: 'The labels of each run. Keys must not contain a colon.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @LabelRules()
  labels?: Record<string, string>;

  @WholeNumberField({
    min: 0,
    max: 9,
    optional: 'not null',
    description: 'The priority of each run; the highest starts first. Default: 5.',
    example: 5,
  })
  priority?: number;

  @WholeNumberField({
    min: 1,
    max: LONGEST_TIMEOUT_SECONDS,
    optional: true,
    nullable: true,
    description: 'Time limit of an attempt. Null: none.',
    example: 3_600,
  })
  timeout_seconds?: number | null;

  @RetryField()
  retry?: RetryRequest;

  @ChoiceField(OVERLAPS, {
    enumName: 'ScheduleOverlap',
    optional: 'not null',
    description:
      'If an earlier run of the schedule has not ended at a due time: skip the due time, queue a run that waits for ' +
      'that end, or allow both at once. Default: skip.',
  })
  overlap?: Overlap;

  @ChoiceField(CATCH_UPS, {
    enumName: 'ScheduleCatchUp',
    optional: 'not null',
    description:
      'For due times that the service missed by more than a minute: none creates a run, or one run replaces them ' +
      'all. Default: none.',
  })
  catch_up?: CatchUp;

  @FlagField({ optional: 'not null', description: '`false` pauses it. Absent: true.' })
  is_active?: boolean;
}

export class CreateScheduleRequest extends ScheduleFields {
  @CronField(OR_NULL)
  cron?: string | null;

  @PauseField(OR_NULL)
  every_seconds?: number | null;
}

/** Absent properties stay as they are. */
export class UpdateScheduleRequest extends ScheduleFields {
  @CronField(NOT_NULL)
  cron?: string;

  @PauseField(NOT_NULL)
  every_seconds?: number;
}

export class ListSchedulesQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true })
  agent_id?: string;

  @FlagParameter({ optional: true, description: 'true: only active schedules; false: only paused ones.' })
  is_active?: boolean;
}
