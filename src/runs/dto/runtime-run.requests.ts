import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, ValidateIf } from 'class-validator';
import { isRecord } from '../../http/json-record.js';
import { LABELS_SCHEMA, LabelRules } from '../../http/label-fields.js';
import { ANY_JSON } from '../../http/openapi/property-schemas.js';
import { CutTextField } from '../../http/cut-text-field.js';
import { AnyJson } from '../../http/any-json.js';
import { ChoiceField, IdField, NumberField, TextField, WholeNumberField } from '../../http/request-fields.js';
import { StoredJson } from '../../http/stored-json.js';
import { cutText } from '../../http/storable-text.js';
import { EntriesOf, type TakenEntries } from '../../http/taken-entries.js';
import { Moment } from '../../http/time-range.js';
import { Lenient } from '../../http/validation.js';
import { type ReportedStatus, REPORTED_STATUSES, type RunReport } from '../reported-runs.service.js';
import { RunProgressResponse } from '../run.response.js';
import { MAXIMUM_ERROR, MAXIMUM_REASON, MAXIMUM_VALUE_BYTES, type RunProgress } from '../run.types.js';
import { conversation, runName } from './run.requests.js';

const MAXIMUM_CLAIMED = 100;
const MAXIMUM_REPORTS = 500;
const MAXIMUM_KEY = 200;
/** Maximum of an `integer` column of PostgreSQL. */
const MAXIMUM_ATTEMPT = 2 ** 31 - 1;

class RuntimeBody {
  @IdField({ optional: true, description: 'Must be the agent of the key.' })
  agent_id?: string;
}

@Lenient()
export class ClaimRunsRequest extends RuntimeBody {
  @WholeNumberField({
    min: 0,
    max: MAXIMUM_CLAIMED,
    optional: true,
    default: 1,
    description: 'Maximum number of runs to take. With 0, the reply only names runs to end early.',
    example: 1,
  })
  limit: number = 1;

  @IdField({
    optional: true,
    description: "The deployment that does the work. Default: the agent's newest active one.",
  })
  deployment_id?: string;

  @NumberField({
    min: 0,
    max: 60,
    optional: true,
    default: 0,
    description: 'Maximum number of seconds to wait for a run.',
  })
  wait: number = 0;
}

export class RunReportEntry {
  @IdField({ optional: true, description: "The run's id, from the claim." })
  run_id?: string;

  @ApiProperty({ required: false })
  @ValidateIf(({ run_id: id }: RunReportEntry) => id === undefined)
  @TextField({
    min: 1,
    max: MAXIMUM_KEY,
    description: "Instead of `run_id`: the agent's own id for a run that it starts itself.",
    example: 'import-2026-01-31',
  })
  run_key?: string;

  @WholeNumberField({
    min: 1,
    max: MAXIMUM_ATTEMPT,
    optional: true,
    description:
      'The attempt that the report is about, from the claim. A report about an older attempt does not change a ' +
      'newer one. Default: the newest.',
    example: 1,
  })
  attempt?: number;

  @ChoiceField(REPORTED_STATUSES, {
    enumName: 'ReportedRunStatus',
    description: '`queued` returns a run that has not started, because the runtime stops.',
    example: 'succeeded',
  })
  status: ReportedStatus;

  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description: `Any JSON value, at most ${MAXIMUM_VALUE_BYTES} bytes as JSON.`,
    example: { answer: 42 },
  })
  @StoredJson({ maximumBytes: MAXIMUM_VALUE_BYTES })
  output?: unknown;

  @CutTextField({ max: MAXIMUM_ERROR, optional: true })
  error?: string;

  @ApiProperty({ required: false, type: RunProgressResponse })
  @IsOptional()
  @AnyJson(readProgress)
  progress?: RunProgress;

  @CutTextField({ max: MAXIMUM_REASON, optional: true })
  waiting_reason?: string;

  @runName()
  name?: string;

  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description: `For a run that the agent starts itself; at most ${MAXIMUM_VALUE_BYTES} bytes as JSON.`,
    example: { file: 'invoices.csv' },
  })
  @StoredJson({ maximumBytes: MAXIMUM_VALUE_BYTES })
  input?: unknown;

  @conversation()
  conversation_id?: string;

  @ApiProperty({
    ...LABELS_SCHEMA,
    type: 'object',
    selfRequired: false,
    description: 'Keys must not contain a colon.',
  })
  @IsOptional()
  @LabelRules()
  labels?: Record<string, string>;

  @Moment("For a run that the agent starts itself, by the agent's clock.")
  started_at?: Date;

  @Moment("The end, by the agent's clock.")
  ended_at?: Date;
}

@Lenient()
export class ReportRunsRequest extends RuntimeBody {
  @ApiProperty({
    type: [RunReportEntry],
    maxItems: MAXIMUM_REPORTS,
    description: 'An entry that breaks a rule is skipped, and listed in `refused` of the reply.',
  })
  @EntriesOf(() => RunReportEntry, { max: MAXIMUM_REPORTS })
  runs: TakenEntries<RunReportEntry>;
}

/** A report, in the service's words. */
export function toRunReport(entry: RunReportEntry): RunReport {
  return {
    runId: entry.run_id ?? undefined,
    runKey: entry.run_id === undefined ? entry.run_key : undefined,
    attempt: entry.attempt ?? undefined,
    status: entry.status,
    name: entry.name ?? undefined,
    input: entry.input,
    labels: entry.labels ?? undefined,
    conversationId: entry.conversation_id ?? undefined,
    startedAt: entry.started_at ?? undefined,
    details: {
      output: entry.output,
      error: entry.error ?? undefined,
      progress: entry.progress ?? undefined,
      waitingReason: entry.waiting_reason ?? undefined,
      endedAt: entry.ended_at ?? undefined,
    },
  };
}

/** A value that is no progress counts as absent: the report is more important. */
function readProgress(value: unknown): RunProgress | undefined {
  if (!isRecord(value)) return undefined;
  const { percent, message } = value;
  return {
    ...(typeof percent === 'number' &&
      Number.isFinite(percent) && { percent: Math.min(Math.max(percent, 0), 100) }),
    ...(typeof message === 'string' && { message: cutText(message, MAXIMUM_REASON) }),
  };
}
