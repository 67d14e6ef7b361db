import { ApiProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { IdPrefix } from '../../http/id-prefix.js';
import { HistoryPageQuery, ResourcePageQuery } from '../../http/page-query.js';
import { Moment, Since, Until } from '../../http/time-range.js';
import {
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
  type Replacement,
  REPLACEMENTS,
} from '../../lifecycle/deployment-lifecycle.js';
import { ProjectParameter } from '../../http/project-fields.js';
import {
  ChoiceField,
  FlagParameter,
  IdField,
  Taken,
  TextField,
  WholeNumberField,
} from '../../http/request-fields.js';

class IgnoredReplicas {
  @ApiProperty({
    required: false,
    type: 'integer',
    description: 'Accepted and ignored: a new deployment starts with 1 replica.',
  })
  @Allow()
  @Taken()
  replicas?: unknown;
}

/** The body of `POST /agents/{agent_id}/deploy`; none is needed. */
export class DeployAgentRequest extends IgnoredReplicas {
  @WholeNumberField({
    min: 1,
    max: 2_147_483_647,
    optional: true,
    description: "A version of the agent's config; default: the newest.",
    example: 2,
  })
  config_version?: number;

  @ChoiceField(REPLACEMENTS, {
    enumName: 'Replacement',
    optional: true,
    default: 'none',
    description:
      "`active`: once this deployment is ready, the agent's other active deployments are stopped; if it fails, they " +
      'stay.',
  })
  replaces?: Replacement;
}

export class CreateDeploymentRequest extends IgnoredReplicas {
  @IdField({ description: "An agent of the caller's.", example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;
}

export class ScaleDeploymentRequest {
  @WholeNumberField({
    min: 0,
    description: 'The requested number; at most `MAX_REPLICAS` of the service (default: 100).',
    example: 3,
  })
  replicas: number;
}

export class ListDeploymentsQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true })
  agent_id?: string;

  @ChoiceField(DEPLOYMENT_STATUSES, { enumName: 'DeploymentStatus', optional: true })
  status?: DeploymentStatus;

  @FlagParameter({ optional: true, description: 'true: deploying, running or ready; false: all others.' })
  active?: boolean;

  @TextField({ max: 200, optional: true, description: "Text in the agent's name; case-insensitive." })
  q?: string;

  @Moment('Only those that were created at or after this time.')
  since?: Date;

  @Moment('Only those that were created before this time.')
  until?: Date;

  @Moment('Only those that failed at or after this time, even if they were started again.')
  failed_since?: Date;

  @FlagParameter({
    optional: true,
    description:
      'true: only those with a command that was not acknowledged for more than a minute; false: only those without ' +
      'one.',
  })
  waiting?: boolean;

  @IdPrefix()
  id_prefix?: string;
}

export class ListEventsQuery extends HistoryPageQuery {
  @TextField({ max: 64, optional: true, description: 'Only events of this type.', example: 'scale' })
  event_type?: string;

  @ChoiceField(DEPLOYMENT_STATUSES, {
    enumName: 'DeploymentStatus',
    optional: true,
    description: 'Only events that led to this status.',
  })
  status?: DeploymentStatus;

  @Since()
  since?: Date;

  @Until()
  until?: Date;
}
