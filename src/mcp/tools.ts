import type { RouteScope } from '../access/scopes.js';

/** The sets by which `X-MCP-Toolsets` narrows the tools. */
export const TOOLSETS = ['agents', 'logs', 'runs', 'usage', 'approvals'] as const;
export type Toolset = (typeof TOOLSETS)[number];

/**
 * The permissions of a tool. `read` changes nothing. `add` and `change` act; `change` may end what runs. The second
 * of two equal calls of a `settle` changes nothing more.
 */
export type Effect = 'read' | 'add' | 'change' | 'settle';

/** A tool as it is described to assistants. */
export interface ToolFacts {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly toolset: Toolset;
  readonly effect: Effect;
  /** Fields whose text agents write, or other systems that an agent works with. */
  readonly agentText: readonly string[];
}

/** A tool that is one operation of the API; its arguments, scope and answer are those of the operation. */
export interface OperationTool extends ToolFacts {
  readonly operation: string;
}

const AGENT = [
  ...['name', 'description', 'labels', 'metadata', 'capabilities', 'reported_message'],
  ...['version', 'hostname', 'platform', 'health.reason'],
];
const DEPLOYMENT = ['agent_name', 'error_message', 'last_exit.message', 'node_id'];
const RUN = [
  ...['input', 'output', 'error', 'name', 'labels', 'agent_name', 'conversation_id', 'progress.message'],
  'waiting_reason',
];
const LOG = ['message', 'metadata', 'agent_name'];
/** An agent that acts is named as it calls itself. */
const STEP = ['error_message', 'node_id', 'actor_name'];

const READS: readonly Omit<OperationTool, 'effect'>[] = [
  {
    name: 'overview',
    title: 'What needs attention',
    description:
      'Counts agents, deployments and runs by state, and lists what failed, is offline or waits. Start here, then ' +
      'call `why` for an agent.',
    toolset: 'agents',
    operation: 'getOverview',
    agentText: ['agent_name', 'error', 'error_message'],
  },
  {
    name: 'find_agents',
    title: 'Find agents',
    description:
      'Lists agents, newest first, by name (`q`), health, status, label or project. Other tools need their ' +
      '`agent_id`.',
    toolset: 'agents',
    operation: 'listAgents',
    agentText: AGENT,
  },
  {
    name: 'get_agent',
    title: 'Show an agent',
    description: 'Shows an agent with its config, health and latest deployments. Secrets are masked.',
    toolset: 'agents',
    operation: 'getAgent',
    agentText: [...AGENT, ...DEPLOYMENT],
  },
  {
    name: 'get_deployment',
    title: 'Show a deployment',
    description: 'Shows the status of a deployment, its replicas, its config version and its last exit.',
    toolset: 'agents',
    operation: 'getDeployment',
    agentText: DEPLOYMENT,
  },
  {
    name: 'list_events',
    title: 'Read the history of a deployment',
    description:
      'Lists the events of a deployment, newest first: who requested what, and what its runtime reported.',
    toolset: 'agents',
    operation: 'listDeploymentEvents',
    agentText: STEP,
  },
  {
    name: 'search_logs',
    title: 'Search logs',
    description:
      'Lists log lines of one agent (`agent_id`) or of all, newest first, by text (`q`), level and time.',
    toolset: 'logs',
    operation: 'listLogs',
    agentText: LOG,
  },
  {
    name: 'list_runs',
    title: 'List runs',
    description:
      'Lists runs (pieces of work for agents), newest first unless `sort` is `created`, by agent, status, label and time.',
    toolset: 'runs',
    operation: 'listRuns',
    agentText: RUN,
  },
  {
    name: 'get_run',
    title: 'Show a run',
    description:
      'Shows a run with its input, and its output or error. With `wait`, the result comes when the run has ended.',
    toolset: 'runs',
    operation: 'getRun',
    agentText: RUN,
  },
  {
    name: 'get_usage',
    title: 'Show tokens and cost',
    description:
      'Sums up tokens, calls and cost in dollars by agent, model, day or another dimension of `group_by`. If ' +
      '`omitted_rows` is not 0, read on with `skip`.',
    toolset: 'usage',
    operation: 'getUsage',
    agentText: ['agent_name', 'model', 'tool'],
  },
  {
    name: 'get_project_limits',
    title: 'Show the limits of a project',
    description:
      'Shows the quotas, retention and maximum numbers of a project, and what it uses. Call it when a limit refuses ' +
      'a call; `project_id` is a field of agents.',
    toolset: 'usage',
    operation: 'getProjectLimits',
    agentText: [],
  },
  {
    name: 'list_approvals',
    title: 'List approvals',
    description:
      'Lists the approvals that agents ask people for before they act: pending ones first, then the oldest. People ' +
      'decide in the dashboard; no tool does.',
    toolset: 'approvals',
    operation: 'listApprovals',
    agentText: ['title', 'description', 'action', 'edited_args', 'agent_name', 'approval_key'],
  },
];

const ACTS: readonly OperationTool[] = [
  {
    name: 'deploy_agent',
    title: 'Deploy an agent',
    description:
      'Starts a deployment. To roll back, set `config_version` to the last one that worked, and `replaces: ' +
      '"active"`. Then call `get_deployment` until it is `ready`.',
    toolset: 'agents',
    operation: 'deployAgent',
    effect: 'change',
    agentText: DEPLOYMENT,
  },
  {
    name: 'scale_deployment',
    title: 'Scale a deployment',
    description: 'Requests a number of replicas, if the deployment is `running` or `ready`.',
    toolset: 'agents',
    operation: 'scaleDeployment',
    effect: 'settle',
    agentText: DEPLOYMENT,
  },
  {
    name: 'restart_deployment',
    title: 'Restart a deployment',
    description: 'Starts a stopped or failed deployment again, with the same config version.',
    toolset: 'agents',
    operation: 'restartDeployment',
    effect: 'change',
    agentText: DEPLOYMENT,
  },
  {
    name: 'restart_deployment_rolling',
    title: 'Replace the replicas of a running deployment',
    description:
      'Replaces the replicas of a `running` or `ready` deployment one after another, with the same config version.',
    toolset: 'agents',
    operation: 'restartDeploymentRolling',
    effect: 'change',
    agentText: DEPLOYMENT,
  },
  {
    name: 'stop_agent',
    title: 'Stop an agent',
    description: 'Stops all active deployments of an agent. Its work in progress ends.',
    toolset: 'agents',
    operation: 'stopAgent',
    effect: 'settle',
    agentText: DEPLOYMENT,
  },
  {
    name: 'pause_agent',
    title: 'Pause an agent',
    description:
      'Pauses an agent: until it is resumed, no replica runs and no run starts. Deployments and queued runs are ' +
      'kept.',
    toolset: 'agents',
    operation: 'pauseAgent',
    effect: 'change',
    agentText: ['agent_name'],
  },
  {
    name: 'resume_agent',
    title: 'Resume an agent',
    description: "Ends the pauses of an agent that people started. A budget's pause stays.",
    toolset: 'agents',
    operation: 'resumeAgent',
    effect: 'add',
    agentText: ['agent_name'],
  },
  {
    name: 'start_run',
    title: 'Start a run',
    description:
      'Creates a run: a piece of work for an agent. Then call `get_run` with `wait` until it has ended, and read ' +
      'its `output`.',
    toolset: 'runs',
    operation: 'createRun',
    effect: 'add',
    agentText: RUN,
  },
  {
    name: 'cancel_run',
    title: 'Cancel a run',
    description: 'Cancels a queued run at once; for a run in progress, its runtime is asked to end it.',
    toolset: 'runs',
    operation: 'cancelRun',
    effect: 'change',
    agentText: RUN,
  },
];

/** No tool decides an approval, deletes, or shows a secret. */
export const OPERATION_TOOLS: readonly OperationTool[] = [
  ...READS.map((tool) => ({ ...tool, effect: 'read' as const })),
  ...ACTS,
];

/** The tool that reads several operations: see `WhyTool`. */
export const WHY: ToolFacts & { readonly scope: RouteScope } = {
  name: 'why',
  title: 'Why is an agent failing?',
  description:
    "Collects in one call what explains an agent's state: health and pauses, deployments with their last exits, " +
    'last events, last errors in the logs, waiting commands and runs, and failed runs.',
  toolset: 'agents',
  effect: 'read',
  scope: 'read',
  agentText: [...new Set([...AGENT, ...DEPLOYMENT, ...STEP, ...LOG, ...RUN, 'result'])],
};

/** The hints of a tool, by the specification's names. */
export function annotationsOf({ title, effect }: Pick<ToolFacts, 'title' | 'effect'>) {
  return {
    title,
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'change' || effect === 'settle',
    idempotentHint: effect === 'read' || effect === 'settle',
    openWorldHint: false,
  };
}
