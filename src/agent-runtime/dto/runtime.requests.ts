import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, ArrayMaxSize, IsArray, IsObject, IsOptional, IsString } from 'class-validator';
import { ANY_JSON } from '../../http/openapi/property-schemas.js';
import {
  type LastExit,
  REPORTED_STATUSES,
  type ReportedStatus,
} from '../../deployments/runtime-report.types.js';
import { LastExitResponse } from '../../deployments/deployment.response.js';
import { EntriesOf, type TakenEntries } from '../../http/taken-entries.js';
import { isUuid } from '../../http/uuid-param.js';
import { Lenient } from '../../http/validation.js';
import { readLastExit } from './last-exit.js';
import { MAXIMUM_NAME, MAXIMUM_PROTOCOL, MAXIMUM_VERSION, readRuntimeSoftware } from './runtime-software.js';
import type { RuntimeSoftware } from '../../agents/runtime-software.types.js';
import { CutTextField } from '../../http/cut-text-field.js';
import { ProjectField } from '../../http/project-fields.js';
import { AnyJson } from '../../http/any-json.js';
import {
  ChoiceField,
  FlagField,
  IdField,
  NameField,
  NumberParameter,
  Taken,
  TextField,
  WholeNumberField,
  WholeNumberParameter,
} from '../../http/request-fields.js';
import { StoredJson } from '../../http/stored-json.js';

const HEARTBEAT_STATUSES = ['running', 'idle', 'stopped', 'error'] as const;
const MAXIMUM_TEXT = 8_192;
const MAXIMUM_RUNS = 1_000;
const MAXIMUM_INTEGER = 2_147_483_647;
/** With these bounds an agent, or a command, fits into the page of a list. */
const MAXIMUM_DOCUMENT_BYTES = 1024 * 1024;
const MAXIMUM_CAPABILITIES_BYTES = 256 * 1024;

const boundOf = (bytes: number) => `At most ${bytes} bytes as JSON, numbers without an exponent.`;

/** Accepts unknown words of newer agents as absent: a 422 would discard the rest of the report. */
const KnownOrAbsent = (known: readonly string[]) =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && !known.includes(value) ? undefined : value,
  );

/** Accepts the runs that the runtime has. Invalid ids are ignored. */
const HeldRuns = (description: string) =>
  applyDecorators(
    ApiProperty({
      required: false,
      type: 'array',
      items: { type: 'string', format: 'uuid' },
      maxItems: MAXIMUM_RUNS,
      description,
    }),
    AnyJson((value) =>
      Array.isArray(value)
        ? value.map((id: unknown) => (isUuid(id) ? id.toLowerCase() : null)).filter((id) => id !== null)
        : value,
    ),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(MAXIMUM_RUNS),
  );

/** Accepts a time and ignores it. */
const UnusedTime = () =>
  applyDecorators(
    Taken(),
    Allow(),
    ApiProperty({
      required: false,
      type: String,
      format: 'date-time',
      description: "Ignored: the service's clock counts.",
    }),
  );

class RuntimeBody {
  @IdField({ optional: true, description: 'Must be the agent of the key.' })
  agent_id?: string;
}

export class RuntimeSoftwareRequest {
  @ApiProperty({ maxLength: MAXIMUM_NAME, example: 'my-runtime' })
  name: string;

  @ApiProperty({ required: false, maxLength: MAXIMUM_VERSION, example: '1.4.2' })
  version?: string;

  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: 0,
    maximum: MAXIMUM_PROTOCOL,
    description: 'The protocol version of the runtime.',
    example: 1,
  })
  protocol?: number;
}

@Lenient()
export class RegisterRequest extends RuntimeBody {
  /** The project of a new agent. A runtime's key ignores it: its agent has a project already. */
  @ProjectField()
  project_id?: string;

  @NameField({ min: 1, max: 200, optional: true, example: 'invoice-reader' })
  name?: string;

  @TextField({ max: 2_000, optional: true })
  description?: string;

  @TextField({ max: 200, optional: true, example: '1.4.2' })
  version?: string;

  @TextField({ max: 255, optional: true, example: 'worker-7' })
  hostname?: string;

  @TextField({ max: 200, optional: true, example: 'linux/x64' })
  platform?: string;

  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description: `What the agent can do: any JSON value. ${boundOf(MAXIMUM_CAPABILITIES_BYTES)}`,
    example: ['chat', 'tools'],
  })
  @StoredJson({ maximumBytes: MAXIMUM_CAPABILITIES_BYTES })
  capabilities?: unknown;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: true,
    description: boundOf(MAXIMUM_DOCUMENT_BYTES),
    example: { zone: 'b' },
  })
  @IsOptional()
  @StoredJson({ maximumBytes: MAXIMUM_DOCUMENT_BYTES })
  @IsObject()
  metadata?: Record<string, unknown>;

  @ApiProperty({
    required: false,
    type: RuntimeSoftwareRequest,
    description:
      'The program that speaks the protocol for the agent; only shown to people. A value that is too long is cut, ' +
      'an invalid one ignored.',
  })
  @IsOptional()
  @AnyJson(readRuntimeSoftware)
  runtime?: RuntimeSoftware;

  @HeldRuns('Ids of the runs that the runtime still has. All other runs of the agent are abandoned at once.')
  runs?: readonly string[];
}

export class DeploymentReport {
  @IdField({ description: 'A deployment that does not belong to the agent (any more) is ignored.' })
  deployment_id: string;

  @ApiProperty({
    required: false,
    enum: REPORTED_STATUSES,
    enumName: 'ReportedStatus',
    description:
      "Only `running`, `ready`, `failed` and `completed` change the deployment's status; any other word is ignored. " +
      '`completed`: all replicas have ended successfully and none will restart; the deployment becomes `stopped`.',
  })
  @IsOptional()
  @Taken()
  @KnownOrAbsent(REPORTED_STATUSES)
  @IsString()
  status?: ReportedStatus;

  @WholeNumberField({ min: 0, max: MAXIMUM_INTEGER, optional: true })
  ready_replicas?: number;

  @WholeNumberField({
    min: 0,
    max: MAXIMUM_INTEGER,
    optional: true,
    description: 'The generation of the report. A report from before the last restart is ignored.',
  })
  observed_generation?: number;

  @TextField({ max: 255, optional: true })
  node_id?: string;

  @CutTextField({ max: MAXIMUM_TEXT, optional: true })
  error_message?: string;

  @WholeNumberField({
    min: 0,
    max: MAXIMUM_INTEGER,
    optional: true,
    description:
      'Restarts of its replicas since the last deploy or restart. Five within ten minutes are a crash loop.',
  })
  restart_count?: number;

  @ApiProperty({ required: false, type: LastExitResponse, description: 'The last end of a replica.' })
  @IsOptional()
  @AnyJson(readLastExit)
  @IsObject({ message: 'last_exit must be an object with a time in `at`' })
  last_exit?: LastExit;
}

@Lenient()
export class HeartbeatRequest extends RuntimeBody {
  @ChoiceField(HEARTBEAT_STATUSES, { enumName: 'HeartbeatStatus', optional: true })
  status?: (typeof HEARTBEAT_STATUSES)[number];

  @CutTextField({ max: MAXIMUM_TEXT, optional: true })
  message?: string;

  @UnusedTime()
  timestamp?: unknown;

  @TextField({ max: 255, optional: true })
  hostname?: string;

  @TextField({ max: 200, optional: true })
  platform?: string;

  @TextField({ max: 200, optional: true })
  version?: string;

  @ApiProperty({
    required: false,
    type: [DeploymentReport],
    maxItems: 1_000,
    description: 'A report that breaks a rule is skipped, and listed in `refused` of the reply.',
  })
  @IsOptional()
  @EntriesOf(() => DeploymentReport, { max: 1_000 })
  deployments?: TakenEntries<DeploymentReport>;

  @HeldRuns(
    'Ids of all runs that the agent has; renews their leases. A run missing from two heartbeats in a row is ' +
      'abandoned. Absent: the leases stay as they are.',
  )
  runs?: readonly string[];
}

@Lenient()
export class PollCommandsQuery extends RuntimeBody {
  @NumberParameter({
    min: 0,
    max: 60,
    optional: true,
    default: 0,
    description: 'Maximum number of seconds to wait for a command.',
  })
  wait: number = 0;

  @WholeNumberParameter({ min: 1, max: 50, optional: true, default: 10 })
  limit: number = 10;

  @ApiProperty({
    required: false,
    description: 'Informational: a command that was not acknowledged is delivered in any case.',
  })
  @Allow()
  @Taken()
  since?: string;
}

@Lenient()
export class AcknowledgeCommandRequest extends RuntimeBody {
  @IdField()
  command_id: string;

  @FlagField()
  success: boolean;

  @ApiProperty({
    ...ANY_JSON,
    required: false,
    description: `Any JSON value, stored with the command. ${boundOf(MAXIMUM_DOCUMENT_BYTES)}`,
    example: { pid: 4711 },
  })
  @StoredJson({ maximumBytes: MAXIMUM_DOCUMENT_BYTES })
  result?: unknown;

  @CutTextField({ max: MAXIMUM_TEXT, optional: true, nullable: true })
  error?: string | null;

  @UnusedTime()
  completed_at?: unknown;
}
