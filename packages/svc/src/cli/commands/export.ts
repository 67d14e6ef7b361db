import type { AgentDetail } from '@agent-control-plane/client';
import { isActive } from '../active-deployment.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { agentArgument, findAgentId } from '../find-agent.js';
import { labelFilterOption, labelFilters } from '../label-option.js';
import { yamlText } from '../output/forms.js';
import { printJson } from '../output/json.js';
import { ALL_PAGES, PAGE, readPages } from '../paging.js';
import { readAgent } from '../read-resource.js';
import type { WantedAgent } from './apply/manifest.js';

export const command = defineCommand({
  arguments: [{ ...agentArgument, name: 'agents', isOptional: true, isRepeatable: true }],
  options: [labelFilterOption],
  details:
    'Writes the named agents, those with the labels, or all, as YAML for svc apply. Secrets are masked as ' +
    '{secret: true}, which keeps the stored value; for another service, write them out. Agents without an ' +
    'active deployment have no replicas in the file, so svc apply does not deploy them.',
  examples: [
    { command: 'export > svc.yaml', explanation: 'all agents; svc apply -f svc.yaml then changes nothing' },
    {
      command: 'export reader writer | svc --api-url https://control.example.com apply -f -',
      explanation: 'two agents to another service',
    },
  ],
  read(input) {
    const named = input.optionalArgument<string[]>('agents') ?? [];
    const label = labelFilters(input.list('label') ?? []);
    if (named.length > 0 && label.length > 0) throw new UsageError('Agents or --label: give one of them');
    return { named, label };
  },
  async run({ named, label }, context) {
    const ids =
      named.length > 0
        ? await Promise.all(named.map((text) => findAgentId(context, text)))
        : await idsWith(context, label);
    const agents: WantedAgent[] = [];
    for (const id of new Set(ids)) agents.push(wantedOf(await readAgent(context, id)));
    agents.sort((one, other) => one.name.localeCompare(other.name, 'en'));
    assertUnique(agents);
    if (context.output === 'json') return printJson(context, { agents });
    context.terminal.print(yamlText({ agents }).trimEnd());
  },
});

async function idsWith(context: Context, label: string[]): Promise<string[]> {
  const project_id = await context.projectId();
  const { items } = await readPages(ALL_PAGES, PAGE.resources, (page) =>
    context.service().GET('/agents', { params: { query: { ...page, label, project_id } } }),
  );
  if (items.length === 0) throw new CommandFailedError('No agent matches: see "svc ls"');
  return items.map(({ id }) => id);
}

/** The agent as a file for svc apply. Pure. */
export function wantedOf({ name, description, type, labels, config, deployments }: AgentDetail): WantedAgent {
  const active = deployments.find(isActive);
  return {
    name,
    ...(description && { description }),
    type,
    ...(Object.keys(labels).length > 0 && { labels }),
    config: JSON.parse(config) as unknown,
    ...(active && { replicas: active.replicas }),
  };
}

/** @throws CommandFailedError for a file that svc apply would refuse */
function assertUnique(agents: readonly WantedAgent[]): void {
  const names = agents.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new CommandFailedError(
    `Two agents are called "${twice}", and svc apply finds agents by their names: rename one, or say which with --project`,
  );
}
