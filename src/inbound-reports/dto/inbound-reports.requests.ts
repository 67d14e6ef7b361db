import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { REPORTED_AGENT_STATUSES, type ReportedAgentStatus } from '../../deployments/owner-report.types.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../../lifecycle/deployment-lifecycle.js';
import { CutTextField } from '../../http/cut-text-field.js';
import { ChoiceField, IdField, NumberRule, Taken, TextField } from '../../http/request-fields.js';

const MAXIMUM_TEXT = 8_192;
const EVENT_NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

const AgentId = () =>
  IdField({ description: "An agent of the caller's.", example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' });

/** Optional fields of a report. */
abstract class Report {
  @TextField({
    max: 255,
    optional: true,
    nullable: true,
    description: 'The host where it runs.',
    example: 'node-7',
  })
  node_id?: string | null;

  @CutTextField({ max: MAXIMUM_TEXT, optional: true, nullable: true, example: 'exit code 137' })
  error_message?: string | null;
}

export class AgentStatusReport extends Report {
  @AgentId()
  agent_id: string;

  @ChoiceField(REPORTED_AGENT_STATUSES, {
    enumName: 'ReportedAgentStatus',
    description:
      '`running`, `idle`: a `creating` or `failed` agent becomes `running`; a stopped one stays stopped, and no ' +
      'report counts as a heartbeat. `failed`, `error`: a `creating` or `running` agent and its active deployments ' +
      'become `failed`. `stopped`: same as `POST /agents/{agent_id}/stop`.',
    example: 'running',
  })
  status: ReportedAgentStatus;
}

export class DeploymentStatusReport extends Report {
  @IdField({ description: "A deployment of the caller's.", example: '0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5' })
  deployment_id: string;

  @ApiProperty({
    pattern: EVENT_NAME.source,
    maxLength: 64,
    description:
      "The event, in the reporter's own word. If `status` does not change the deployment, the word becomes the " +
      '`event_type` in the history, unless it is a type of the lifecycle.',
    example: 'image_pulled',
  })
  @Taken()
  @IsString()
  @Matches(EVENT_NAME, {
    message: 'event must be 1 to 64 characters (a-z, 0-9, "_", "." or "-") and begin with a letter',
  })
  event: string;

  @ChoiceField(DEPLOYMENT_STATUSES, {
    enumName: 'DeploymentStatus',
    optional: true,
    nullable: true,
    description:
      "Changes the deployment as a runtime's report would: `running`, `ready` and `failed`, if the lifecycle allows " +
      'it. The event in the history has the type of that change.',
    example: 'running',
  })
  status?: DeploymentStatus | null;
}

const Measure = (description: string, example: number) =>
  applyDecorators(
    ApiProperty({ type: 'number', format: 'double', minimum: 0, description, example }),
    Taken(),
    NumberRule({ min: 0 }),
  );

export class AgentMetricsReport {
  @AgentId()
  agent_id: string;

  @Measure('In a unit of your own, such as percent.', 12.5)
  cpu_usage: number;

  @Measure('In a unit of your own.', 48.2)
  memory_usage: number;
}
