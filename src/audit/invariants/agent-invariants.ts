import { ACTIVE_STATUSES } from '../../lifecycle/deployment-lifecycle.js';
import type { Invariant } from '../invariant.types.js';

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

const withDeployment = (condition: string) =>
  `EXISTS (SELECT FROM deployments AS deployment WHERE deployment.agent_id = agent.id AND ${condition})`;

/**
 * An agent's status and its deployments, as far as they depend on each other. A runtime's heartbeat moves only the
 * agent, and a kill stops the agent whatever its other deployments do, so most combinations are possible.
 */
export const AGENT_INVARIANTS: readonly Invariant[] = [
  {
    name: 'new-agents-have-no-deployment',
    sentence: 'An agent that was only created has no deployment: the first one makes it running.',
    statement: `SELECT id FROM agents AS agent WHERE status = 'creating' AND ${withDeployment('true')}`,
  },
  {
    name: 'failed-agents-deploy-nothing',
    sentence:
      'A failed agent has no deployment that is deploying: its loss failed it, and a new one makes it running.',
    statement: `SELECT id FROM agents AS agent WHERE status = 'failed'
      AND ${withDeployment(`deployment.status = 'deploying'`)}`,
  },
  {
    name: 'stopped-agents-run-nothing',
    sentence: 'A stopped agent has no active deployment, unless it was a kill that stopped the agent.',
    statement: `SELECT id FROM agents AS agent WHERE status = 'stopped'
      AND ${withDeployment(`deployment.status IN (${ACTIVE})`)}
      AND NOT ${withDeployment(`deployment.status = 'killed'`)}
      AND NOT EXISTS (SELECT FROM deployment_events AS event
        WHERE event.agent_id = agent.id AND event_type = 'kill')`,
  },
  {
    name: 'removed-agents-leave-nothing-in-force',
    sentence: 'An agent that is being removed has neither deployments nor keys any more.',
    statement: `SELECT id FROM agents AS agent WHERE status = 'deleting'
      AND (${withDeployment('true')} OR EXISTS (SELECT FROM api_keys WHERE api_keys.agent_id = agent.id))`,
  },
  {
    name: 'configs-without-gaps',
    sentence:
      "The newest version of an agent's config has the agent's number; older ones, each with a number of its own, may have been deleted.",
    statement: `SELECT id FROM agents AS agent
      WHERE (SELECT max(version.config_version) FROM agent_configs AS version WHERE version.agent_id = agent.id)
      IS DISTINCT FROM agent.config_version`,
  },
  {
    name: 'deployments-have-their-config',
    sentence: "Each deployment carries a version of its agent's config.",
    statement: `SELECT id FROM deployments AS deployment WHERE NOT EXISTS (
        SELECT FROM agent_configs AS version
        WHERE (version.agent_id, version.config_version) = (deployment.agent_id, deployment.config_version))`,
  },
  {
    name: 'replacements-happen-once',
    sentence: 'A deployment that is ready has nothing left to replace.',
    statement: `SELECT id FROM deployments WHERE status = 'ready' AND replaces <> 'none'`,
  },
  {
    name: 'removals-end',
    sentence: 'The removal of an agent or a webhook is finished within a day of a running service.',
    statement: `SELECT removed.id FROM (
        SELECT id, updated_at AS since FROM agents WHERE status = 'deleting'
        UNION ALL SELECT id, deleted_at FROM webhooks WHERE deleted_at IS NOT NULL
      ) AS removed CROSS JOIN bounds
      WHERE since < now() - interval '1 day' AND running_seconds > 86400`,
  },
  {
    name: 'agents-have-a-presence',
    sentence: 'Each agent has a row with the time of its last call, until its removal begins.',
    statement: `SELECT id FROM agents AS agent
      WHERE (status = 'deleting') = EXISTS (SELECT FROM agent_presence WHERE agent_presence.agent_id = agent.id)`,
  },
  {
    name: 'searches-find-agents',
    sentence:
      'Each agent has a row for searches with its name, description, type, host and labels, until its removal begins.',
    statement: `SELECT id FROM agents AS agent LEFT JOIN agent_search AS search ON search.agent_id = agent.id
      CROSS JOIN LATERAL (SELECT lower(concat_ws(E'\\n', agent.name, description, type, hostname)) AS content,
        ARRAY[agent.user_id::text, 'type:' || type]
          || ARRAY(SELECT 'label:' || key || ':' || value FROM jsonb_each_text(labels)) AS terms) AS present
      WHERE CASE WHEN status = 'deleting' THEN search.agent_id IS NOT NULL
        ELSE (search.name, search.content) IS DISTINCT FROM (lower(agent.name), present.content)
          OR (search.terms @> present.terms AND search.terms <@ present.terms) IS NOT TRUE END`,
  },
  {
    name: 'copies-of-the-workload',
    sentence: "The workload beside an agent's presence is the agent's.",
    statement: `SELECT id FROM agents AS agent JOIN agent_presence AS presence ON presence.agent_id = agent.id
      WHERE presence.workload <> agent.workload`,
  },
];
