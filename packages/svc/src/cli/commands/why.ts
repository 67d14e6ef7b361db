import type {
  Agent,
  CommandRecord,
  components,
  Deployment,
  DeploymentEvent,
  LogRecord,
  Run,
} from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { agentArgument, findAgentId } from '../find-agent.js';
import { callTool } from '../mcp/call-tool.js';
import { eventLine } from '../output/event-line.js';
import { printJson } from '../output/json.js';
import { logLine } from '../output/log-line.js';
import { printable } from '../output/printable.js';
import { type Field, recordLines } from '../output/record.js';
import { type Column, printTable } from '../output/table.js';
import { agentFields } from './agents/columns.js';
import { deploymentColumns, describeExit } from './deploy/columns.js';
import { commandColumns } from './deploy/commands.js';
import { runColumns } from './runs/columns.js';

/** The answer of the service's tool `why`, whose lists are bounded and begin with the newest. */
export interface Why {
  readonly agent: Agent;
  readonly deployments: readonly Deployment[];
  readonly last_exits: readonly {
    readonly deployment_id: string;
    readonly last_exit: components['schemas']['LastExitResponse'];
  }[];
  readonly events: readonly DeploymentEvent[];
  readonly errors: readonly LogRecord[];
  readonly waiting_commands: readonly CommandRecord[];
  readonly waiting_runs: readonly Run[];
  readonly failed_runs: readonly Run[];
}

/** The fields of an agent that say how it is. */
const HEALTH_FIELDS = ['Name', 'Health', 'Reason', 'Paused', 'Connection', 'Heartbeat', 'Reported'];

export const command = defineCommand({
  arguments: [agentArgument],
  details:
    'Collects what is otherwise in six lists: health, deployments with their last exits, recent events ' +
    'and error lines, and commands and runs that wait or failed. Assistants get the same from the tool ' +
    'why of POST /mcp. The answer is at most 25 KB: a longer text ends with "… [cut]".',
  examples: [
    { command: 'why invoice-reader', explanation: 'what is wrong, or what it is waiting for' },
    {
      command: 'why invoice-reader --jq .agent.health.reason',
      explanation: 'only the reason of its health',
    },
  ],
  read: (input) => ({ agent: input.argument('agent') }),
  async run({ agent }, context) {
    const why = (await callTool(context, 'why', { agent_id: await findAgentId(context, agent) })) as Why;
    if (context.output === 'json') return printJson(context, why);
    print(context, why, agent);
  },
});

/** @param called the agent, as the caller named it */
function print(context: Context, why: Why, called: string): void {
  const { terminal } = context;
  const { colors } = terminal;
  const health = agentFields(why.agent, context).filter(([label]) => HEALTH_FIELDS.includes(label));
  for (const line of recordLines(health, colors)) terminal.print(line);
  const section = (title: string, lines: readonly string[]) => {
    if (lines.length === 0) return;
    for (const line of ['', colors.bold(title), ...lines]) terminal.print(line);
  };
  const table = <Row>(title: string, rows: readonly Row[], columns: readonly Column<Row>[]) => {
    if (rows.length === 0) return;
    for (const line of ['', colors.bold(title)]) terminal.print(line);
    printTable(context, rows, columns);
  };
  table('Deployments', why.deployments, withoutAgent(deploymentColumns(context)));
  section('Last exits', recordLines(why.last_exits.map(exitField), colors));
  section(
    'Last events',
    why.events.toReversed().map((event) => eventLine(event, colors)),
  );
  section(
    'Last errors',
    why.errors.toReversed().map((record) => logLine(record, colors)),
  );
  table('Waiting commands', why.waiting_commands, commandColumns(context));
  table('Waiting runs', why.waiting_runs, withoutAgent(runColumns(context)));
  table('Failed runs', why.failed_runs, withoutAgent(runColumns(context)));
  terminal.note(nextStep(why, called));
}

function exitField({ deployment_id, last_exit }: Why['last_exits'][number]): Field {
  return [printable(deployment_id), describeExit(last_exit)];
}

function withoutAgent<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  return columns.filter(({ title }) => title !== 'AGENT');
}

/** A name that a shell takes as one word. */
const WORD = /^[\w.-]+$/;

/** Command to type next, by the agent's health. @param called the agent, as the caller named it */
export function nextStep(
  {
    agent: { id, health, connection, paused },
    deployments,
    failed_runs: [failed],
  }: Pick<Why, 'agent' | 'deployments' | 'failed_runs'>,
  called: string,
): string {
  const { state } = health;
  const agent = WORD.test(called) ? called : id;
  if (state === 'paused' && paused?.by === 'budget')
    return 'Next: svc budgets list shows the budget, and svc budgets update raises its limit';
  if (state === 'paused') return `Next: svc agents resume ${agent}`;
  if (deployments.length === 0) return `Next: svc deploy ${agent}`;
  if (connection !== 'online') {
    const start = `Next: start what runs it: svc run --agent ${agent}`;
    return state === 'failing' ? `${start}; then svc restart ${agent}` : start;
  }
  if (state === 'healthy' && failed)
    return `The agent is healthy. The log of its newest failed run: svc runs logs ${failed.id}`;
  if (state === 'healthy') return `All is well. See what it does now: svc logs ${agent} --follow`;
  if (state === 'idle') return `Next: svc restart ${agent}`;
  const logs = `Next: svc logs ${agent} --min-level warning`;
  const hasEarlier = deployments.some(
    ({ config_version }) => config_version !== deployments[0]!.config_version,
  );
  return hasEarlier ? `${logs}; svc rollback ${agent} goes back to the config before` : logs;
}
