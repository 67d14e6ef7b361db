import { type components, type Deployment, ServiceError, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { confirm, yesOption } from '../../confirmation.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { labelFilterOption, labelFilters } from '../../label-option.js';
import { printableLine } from '../../output/printable.js';
import { printRecord } from '../../output/record.js';
import { printList } from '../../output/table.js';
import { ALL_PAGES, PAGE, readPages } from '../../paging.js';
import { readWait, waitOptions, waitUntilStopped } from '../../waiting.js';
import { agentQuestion } from './question.js';

/** Number of names in the question about many agents. */
const NAMED = 5;

type Stopped = components['schemas']['StoppedAgentResponse'];

/** An agent that is to be stopped. The name is known where a list was read. */
interface Target {
  readonly id: string;
  readonly name?: string;
}

export const command = defineCommand({
  arguments: [{ ...agentArgument, name: 'agents', isOptional: true, isRepeatable: true }],
  options: [
    { ...labelFilterOption, description: 'all agents with this label; may be repeated' },
    yesOption,
    ...waitOptions,
  ],
  details:
    'Stops all active deployments of the agents; svc restart starts them again. With --label, the ' +
    'question says how many agents match. If one cannot be stopped, the others still are.',
  examples: [
    { command: 'agents stop invoice-reader', explanation: 'asks first' },
    {
      command: 'agents stop invoice-reader --yes --wait',
      explanation: 'does not ask, and waits until its processes have ended',
    },
    {
      command: 'agents stop --label team=billing',
      explanation: 'says how many agents have the label, and asks',
    },
  ],
  read(input) {
    const named = input.optionalArgument<string[]>('agents') ?? [];
    const labels = labelFilters(input.list('label') ?? []);
    if (named.length > 0 === labels.length > 0)
      throw new UsageError('Name the agents, or choose them with --label key=value');
    return { named, labels, isConfirmed: input.flag('yes'), wait: readWait(input) };
  },
  async run({ named, labels, isConfirmed, wait }, context) {
    const targets = labels.length > 0 ? await agentsWith(context, labels) : await agentsNamed(context, named);
    await confirm(context, isConfirmed, () => question(context, targets, labels));
    const { stopped, failures } = await stopAll(context, targets);
    if (wait !== undefined)
      await waitForAll(
        context,
        stopped.flatMap(({ deployments }) => deployments),
        wait,
      );
    show(context, stopped, named.length === 1);
    if (failures.length > 0)
      throw new CommandFailedError(
        `${failures.length} of ${targets.length} agents were not stopped (${failures[0]}): run it again`,
      );
  },
});

async function agentsNamed(context: Context, named: readonly string[]): Promise<Target[]> {
  const ids = await Promise.all(named.map((text) => findAgentId(context, text)));
  return [...new Set(ids)].map((id) => ({ id }));
}

/** @throws CommandFailedError if no agent has the labels */
async function agentsWith(context: Context, label: string[]): Promise<Target[]> {
  const project_id = await context.projectId();
  const { items } = await readPages(ALL_PAGES, PAGE.resources, (page) =>
    context.service().GET('/agents', { params: { query: { ...page, label, project_id } } }),
  );
  if (items.length > 0) return items;
  throw new CommandFailedError(`No agent has ${labelsText(label)}: "svc ls -o wide" shows the labels`);
}

async function question(
  context: Context,
  targets: readonly Target[],
  labels: readonly string[],
): Promise<string> {
  const [first, ...others] = targets;
  if (others.length === 0) return agentQuestion(context, first!.id, 'Stop');
  const shown = targets.slice(0, NAMED).map(({ id, name }) => name ?? id);
  const more = targets.length - shown.length;
  const which = labels.length > 0 ? ` with ${labelsText(labels)}` : '';
  const names = `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  return printableLine(`Stop ${targets.length} agents${which} (${names}), with all of their deployments?`);
}

/** @param labels as `key:value` */
function labelsText(labels: readonly string[]): string {
  return labels.map((label) => label.replace(':', '=')).join(' and ');
}

/** Stops one after the other. @returns also the messages of those that the service refused to stop */
async function stopAll(context: Context, targets: readonly Target[]) {
  const stopped: Stopped[] = [];
  const failures: string[] = [];
  for (const { id, name = id } of targets) {
    try {
      const path = { agent_id: id };
      stopped.push(await unwrap(context.service().POST('/agents/{agent_id}/stop', { params: { path } })));
    } catch (error) {
      // the only one: its refusal is that of the command, with the advice on it
      if (targets.length === 1 || !(error instanceof ServiceError)) throw error;
      failures.push(`${name}: ${error.detail}`);
    }
  }
  return { stopped, failures };
}

function show(context: Context, stopped: readonly Stopped[], isOne: boolean): void {
  const [only] = stopped;
  if (isOne && only)
    return printRecord(context, only, [
      ['Agent', only.agent_id],
      ['Status', only.status],
      ['Deployments stopped', only.stopped],
    ]);
  printList(context, {
    items: stopped,
    columns: [
      { title: 'AGENT', value: ({ agent_id }) => agent_id, fit: 'id' },
      { title: 'STATUS', value: ({ status }) => status, fit: 'status' },
      { title: 'DEPLOYMENTS STOPPED', value: ({ stopped: count }) => count },
    ],
    ifEmpty: 'Nothing was stopped',
  });
}

/**
 * Waits for one deployment after the other, because their runtimes stop them at the same time anyway. @param timeout
 * seconds, for all of them
 */
async function waitForAll(context: Context, deployments: readonly Deployment[], timeout: number) {
  const begun = context.now().getTime();
  for (const deployment of deployments) {
    const left = timeout - (context.now().getTime() - begun) / 1_000;
    await waitUntilStopped(context, deployment, { timeout: Math.max(0, left) });
  }
}
