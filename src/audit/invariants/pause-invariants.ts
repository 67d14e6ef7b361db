import { ACTIVE_STATUSES } from '../../lifecycle/deployment-lifecycle.js';
import type { Invariant } from '../invariant.types.js';

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

/** Pauses, the agents that they hold, and what those say of it. */
export const PAUSE_INVARIANTS: readonly Invariant[] = [
  {
    name: 'paused-agents-are-held',
    sentence: 'An agent is paused if a pause holds it, and only then.',
    statement: `SELECT id FROM agents AS agent WHERE status <> 'deleting' AND (paused_at IS NOT NULL)
      <> EXISTS (SELECT FROM agent_pauses AS held WHERE held.agent_id = agent.id AND applied_at IS NOT NULL)`,
  },
  {
    name: 'paused-agents-are-shown',
    sentence: 'The workload of an agent is that of a pause if it is paused, and only then.',
    statement: `SELECT id FROM agents WHERE status <> 'deleting'
      AND ((workload = 'paused') <> (paused_at IS NOT NULL) OR (paused_at IS NULL AND pause_confirmed_at IS NOT NULL))`,
  },
  {
    name: 'deployments-are-held-with-their-agent',
    sentence: 'An active deployment is held if its agent is paused, and only then.',
    statement: `SELECT deployment.id FROM deployments AS deployment JOIN agents AS agent ON agent.id = deployment.agent_id
      WHERE deployment.status IN (${ACTIVE}) AND deployment.is_held <> (agent.paused_at IS NOT NULL)`,
  },
  {
    name: 'nothing-is-withheld',
    sentence:
      'What is wanted of a deployment that no pause holds was asked of its runtime: confirmed, or in a command.',
    statement: `SELECT id FROM deployments AS deployment WHERE status IN (${ACTIVE}) AND NOT is_held
      AND observed_generation IS DISTINCT FROM generation
      AND NOT EXISTS (SELECT FROM commands AS command
        WHERE (command.deployment_id, command.generation) = (deployment.id, deployment.generation))`,
  },
  {
    name: 'open-pauses-hold-agents',
    sentence: 'A pause that is carried out holds agents if it has not ended, and only then.',
    statement: `SELECT id FROM pauses AS pause WHERE is_settled AND (ended_at IS NULL)
      <> EXISTS (SELECT FROM agent_pauses AS held WHERE held.pause_id = pause.id)`,
  },
  {
    name: 'pauses-are-carried-out-in-time',
    sentence: 'All agents of a pause are held or released soon in a running service.',
    statement: `SELECT id FROM pauses CROSS JOIN bounds WHERE NOT is_settled AND running_seconds > margin_seconds
      AND coalesce(ended_at, created_at) < now() - make_interval(secs => margin_seconds)`,
  },
  {
    name: 'pauses-of-the-owner',
    sentence: 'An agent is held by pauses of its own project.',
    statement: `SELECT held.agent_id AS id FROM agent_pauses AS held JOIN agents AS agent ON agent.id = held.agent_id
      JOIN pauses AS pause ON pause.id = held.pause_id
      WHERE applied_at IS NOT NULL AND agent.status <> 'deleting' AND agent.user_id <> pause.project_id`,
  },
];
