import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IdPrefix } from '../../http/id-prefix.js';
import { LabelFilter } from '../../http/label-filter.js';
import { BEFORE, PageLimit, PageQuery, ResourcePageQuery } from '../../http/page-query.js';
import {
  ChoiceField,
  FlagParameter,
  IdField,
  NameField,
  ProjectField,
  ProjectParameter,
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
import { AGENT_SORTS, type AgentSort } from '../agent.types.js';
import { ConfigField } from './config-field.js';
import { LABELS_SCHEMA, LabelRules } from '../../http/label-rules.js';

export class ListAgentsQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true, description: 'The account that created the agents.' })
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
    description: 'Part of the name, the description, the type or the host, in any case.',
    example: 'invoice',
  })
  q?: string;

  @IdPrefix()
  id_prefix?: string;

  @TextField({ max: 64, optional: true })
  type?: string;

  @LabelFilter()
  label?: string[];

  @FlagParameter({ optional: true, description: 'Only agents whose runtime is too old, or only the others.' })
  outdated?: boolean;

  @ChoiceField(AGENT_SORTS, {
    enumName: 'AgentSort',
    optional: true,
    description:
      '`-created` where it is absent. With `-` descending. Agents without a heartbeat come last. `health`: failing, offline, degraded, ' +
      'progressing, paused, healthy, idle; of equal health the newest first.',
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
      "The agent's configuration: a JSON document as a string, at most 256 KiB. An object is taken too and kept " +
      'as its JSON text. In `env`, `{"secret": "..."}` gives a value that no reply ever shows; programs get the text.',
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
    description: 'A short label of your own.',
    example: 'worker',
  })
  type?: string;

  @ApiProperty({
    ...LABELS_SCHEMA,
    type: 'object',
    selfRequired: false,
    nullable: true,
    description: 'A key has no colon.',
  })
  @IsOptional()
  @LabelRules()
  labels?: Record<string, string> | null;

  @ChoiceField(LOOP_ACTIONS, {
    enumName: 'LoopAction',
    optional: true,
    default: 'notify',
    description:
      'What becomes of a run that calls the same tool ten times with the same arguments and the same result. `cancel`: its ' +
      'runtime is asked to end it.',
  })
  on_loop?: LoopAction;

  @ChoiceField(CAPTURES, {
    enumName: 'Capture',
    optional: true,
    default: 'none',
    description:
      'Which content of its spans is kept, sealed, as long as the spans. `tools`: what tools got and gave. `all`: also messages, ' +
      'prompts and answers.',
  })
  capture?: Capture;

  @ChoiceField(USAGE_CHOICES, {
    enumName: 'UsageChoice',
    optional: true,
    default: 'auto',
    description:
      "From what its usage is counted. `auto`: each model from spans, else metrics, else the agent's own reports.",
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
    description: 'Hands the agent over to this project. The caller has to be a maintainer of both.',
  })
  project_id?: string;

  @ConfigField({ nullable: true, description: 'As when the agent was created. Null: `{}`.' })
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
    description: 'Replaces all labels. A key has no colon.',
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
    description: 'What is kept already stays as long as its spans.',
  })
  capture?: Capture | null;

  @ChoiceField(USAGE_CHOICES, {
    enumName: 'UsageChoice',
    optional: true,
    nullable: true,
    description: 'For calls from now on; what was counted stays.',
  })
  usage_from?: UsageChoice | null;
}
