import { LabelFilter } from '../../http/label-filter.js';
import { IdPrefix } from '../../http/id-prefix.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH_STATES,
  type HealthState,
} from '../../lifecycle/agent-health.js';
import { AGENT_STATUSES, type AgentStatus } from '../../lifecycle/agent-lifecycle.js';
import { AGENT_SORTS, type AgentSort } from '../agent.types.js';
import { ChoiceField, IdField, TextField } from '../../http/request-fields.js';

export class ListAgentsQuery extends ResourcePageQuery {
  @IdField({
    optional: true,
    description: "Whose agents. Another user's are an empty list, unless the caller is an operator.",
  })
  user_id?: string;

  @ChoiceField(AGENT_STATUSES, { optional: true })
  status?: AgentStatus;

  @ChoiceField(HEALTH_STATES, { optional: true })
  health?: HealthState;

  @ChoiceField(AGENT_CONNECTIONS, { optional: true })
  connection?: AgentConnection;

  @TextField({
    max: 200,
    optional: true,
    description: 'Part of the name, the description, the type or the host, in any case.',
  })
  q?: string;

  @IdPrefix()
  id_prefix?: string;

  @TextField({ max: 64, optional: true })
  type?: string;

  @LabelFilter()
  label?: string[];

  @ChoiceField(AGENT_SORTS, {
    optional: true,
    default: '-created',
    description: 'With `-` descending. Agents without a heartbeat come last.',
  })
  sort?: AgentSort;
}
