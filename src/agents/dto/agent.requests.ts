import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IdPrefix } from '../../http/id-prefix.js';
import { BEFORE, PageLimit, PageQuery, ResourcePageQuery } from '../../http/page-query.js';
import { ProjectField, ProjectParameter } from '../../http/project-fields.js';
import {
  ChoiceField,
  FlagParameter,
  IdField,
  NameField,
  TextField,
  Trimmed,
  WholeNumberParameter,
} from '../../http/request-fields.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH_STATES,
  type HealthState,
} from '../../lifecycle/agent-health.js';
import { AGENT_STATUSES, type AgentStatus } from '../../lifecycle/agent-lifecycle.js';
import {
  type Capture,
  CAPTURES,
  LOOP_ACTIONS,
  type LoopAction,
  USAGE_CHOICES,
  type UsageChoice,
} from '../agent-settings.types.js';
import { AGENT_SORTS, type AgentSort } from '../agent-sorts.js';
import { ConfigField } from './config-field.js';
import { LABELS_SCHEMA, LabelRules, LabelFilter } from '../../http/label-fields.js';

export class ListAgentsQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true, description: 'The account that created the agent.' })
  user_id?: string;

  @ChoiceField(AGENT_STATUSES, { enumName: 'AgentStatus', optional: true })
  status?: AgentStatus;

  @ChoiceField(HEALTH_STATES, { enumName: 'AgentHealthState', optional: true })
  health?: HealthState;

  @ChoiceField(AGENT_CONNECTIONS, { enumName: 'AgentConnection', optional: true })
  connection?: AgentConnection;

  @TextField({
    max: 200,
    optional: true,
    description: 'Text in the name, description, type or host; case-insensitive.',
    example: 'invoice',
  })
  q?: string;

  @IdPrefix()
  id_prefix?: string;

  @TextField({ max: 64, optional: true })
  type?: string;

  @LabelFilter()
  label?: string[];

  @FlagParameter({
    optional: true,
    description: 'true: only agents with an unsupported runtime; false: only agents without one.',
  })
  outdated?: boolean;

  @ChoiceField(AGENT_SORTS, {
    enumName: 'AgentSort',
    optional: true,
    description:
      'Default: `-created`. `-` sorts in descending order. Agents without a heartbeat come last. `health`: failing, ' +
      'offline, degraded, progressing, paused, healthy, idle; newest first within each.',
  })
  sort?: AgentSort;
}

/** A version of a config has a number, and no id. */
export class ListAgentConfigsQuery extends PageQuery {
  @PageLimit(50, 100)
  limit: number = 50;

  @WholeNumberParameter({ min: 1, max: 2_147_483_647, optional: true, description: BEFORE })
  before?: number;
}

export class CreateAgentRequest {
  @ProjectField()
  project_id?: string;

  @ConfigField({
    default: '{}',
    description:
      "The agent's configuration: a JSON document as a string, at most 256 KiB. An object is accepted, too, and " +
      'stored as its JSON text. In `env`, `{"secret": "..."}` sets a value that no reply ever shows; programs ' +
      'receive the text.',
  })
  config?: string;

  @Trimmed()
  @NameField({
    min: 1,
    max: 200,
    optional: true,
    description: 'Default: `agent-` and the first eight characters of the id.',
    example: 'invoice-reader',
  })
  name?: string;

  @TextField({ max: 2_000, optional: true, nullable: true, example: 'Reads the invoices.' })
  description?: string | null;

  @Trimmed()
  @NameField({
    min: 1,
    max: 64,
    optional: true,
    default: 'custom',
    description: 'A short category of your own.',
    example: 'worker',
  })
  type?: string;

  @ApiProperty({
    ...LABELS_SCHEMA,
    type: 'object',
    selfRequired: false,
    nullable: true,
    description: 'Keys must not contain a colon.',
  })
  @IsOptional()
  @LabelRules()
  labels?: Record<string, string> | null;

  @ChoiceField(LOOP_ACTIONS, {
    enumName: 'LoopAction',
    optional: true,
    default: 'notify',
    description:
      'What happens to a run that calls the same tool ten times with the same arguments and result. `cancel`: the ' +
      'runtime is asked to end the run.',
  })
  on_loop?: LoopAction;

  @ChoiceField(CAPTURES, {
    enumName: 'Capture',
    optional: true,
    default: 'none',
    description:
      'Which content of spans is stored, encrypted, for as long as the spans. `tools`: arguments and results of ' +
      'tools. `all`: also messages, prompts and answers.',
  })
  capture?: Capture;

  @ChoiceField(USAGE_CHOICES, {
    enumName: 'UsageChoice',
    optional: true,
    default: 'auto',
    description:
      "Source of the usage. `auto`: for each model spans, else metrics, else the agent's own reports.",
  })
  usage_from?: UsageChoice;
}

/**
 * Undefined keeps a property, null sets the default of a new agent. No default is documented: generated clients would
 * send it.
 */
export class UpdateAgentRequest {
  @IdField({
    optional: true,
    description: 'Moves the agent to this project. The caller must be a maintainer of both projects.',
  })
  project_id?: string;

  @ConfigField({ nullable: true, description: 'As in the creation of an agent. Null: `{}`.' })
  config?: string | null;

  @Trimmed()
  @NameField({ min: 1, max: 200, optional: true, nullable: true })
  name?: string | null;

  @TextField({ max: 2_000, optional: true, nullable: true })
  description?: string | null;

  @Trimmed()
  @NameField({ min: 1, max: 64, optional: true, nullable: true })
  type?: string | null;

  @ApiProperty({
    ...LABELS_SCHEMA,
    type: 'object',
    selfRequired: false,
    nullable: true,
    description: 'Replaces all labels. Keys must not contain a colon.',
  })
  @IsOptional()
  @LabelRules()
  labels?: Record<string, string> | null;

  @ChoiceField(LOOP_ACTIONS, { enumName: 'LoopAction', optional: true, nullable: true })
  on_loop?: LoopAction | null;

  @ChoiceField(CAPTURES, {
    enumName: 'Capture',
    optional: true,
    nullable: true,
    description: 'Content that is already stored is kept as long as its spans.',
  })
  capture?: Capture | null;

  @ChoiceField(USAGE_CHOICES, {
    enumName: 'UsageChoice',
    optional: true,
    nullable: true,
    description: 'Applies to calls from now on; counted usage stays.',
  })
  usage_from?: UsageChoice | null;
}
