import type { Agent } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import { readText } from '../config-text.js';
import type { Context } from '../context.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { agentKind } from '../find-agent.js';
import { filled, seconds } from '../option-values.js';
import { printJson } from '../output/json.js';
import { ALL_PAGES, PAGE, readPages } from '../paging.js';
import { revealOption } from '../reveal-option.js';
import { type AppliedAgent, applyPlan } from './apply/apply-plan.js';
import { readManifest, type WantedAgent } from './apply/manifest.js';
import { type AgentPlan, changesNothing, planOf, toPlannedAgent } from './apply/plan.js';
import { planLines } from './apply/plan-lines.js';
import { readAgent } from '../read-resource.js';

const DEFAULT_TIMEOUT_SECONDS = 600;

export const command = defineCommand({
  options: [
    { flags: '-f, --file <path>', description: 'the file; - for standard input', parse: filled },
    { flags: '--dry-run', description: 'show what would change, and change nothing' },
    {
      flags: '--timeout <time>',
      description: 'how long to wait for a deployment before it is scaled: 90s, 5m, 1h (default 10m)',
      parse: seconds,
    },
    revealOption,
  ],
  details:
    'The file is YAML with a list, agents. Each has a name and, optionally, description, type, labels, ' +
    'config and replicas. What is absent stays as it is, and an agent without replicas is not deployed. ' +
    'Other agents are not changed. As a value of "env", {secret: true} keeps the stored value, and ' +
    '{secret: ...} sets one that is never shown again.',
  examples: [
    { command: 'apply -f svc.yaml --dry-run', explanation: 'what would change' },
    { command: 'apply -f svc.yaml', explanation: 'creates, changes and deploys what differs' },
  ],
  read(input) {
    const file = input.text('file');
    if (file === undefined) throw new UsageError('Give the file: svc apply -f svc.yaml');
    return {
      file,
      isDryRun: input.flag('dry-run'),
      timeout: input.number('timeout') ?? DEFAULT_TIMEOUT_SECONDS,
      reveals: input.flag('reveal'),
    };
  },
  async run({ file, isDryRun, timeout, reveals }, context) {
    const { terminal } = context;
    const wanted = readManifest(file === '-' ? await terminal.readInput() : await readText(file));
    const agents = await agentsCalled(context, wanted);
    const planned: AgentPlan[] = [];
    const applied: AppliedAgent[] = [];
    for (const each of wanted) {
      const agent = agents.get(each.name);
      const plan = planOf(each, agent && (await readAgent(context, agent.id, reveals)));
      if (context.output === 'table')
        for (const line of planLines(plan, reveals, terminal.colors)) terminal.print(line);
      if (changesNothing(plan)) continue;
      planned.push(plan);
      const result = isDryRun ? undefined : await applyPlan(context, plan, timeout);
      if (result) applied.push(result);
    }
    if (context.output === 'json')
      return printJson(context, isDryRun ? planned.map(toPlannedAgent) : applied);
    terminal.note(isDryRun ? 'Nothing was changed: this was a dry run' : `Agents changed: ${applied.length}`);
  },
});

/** The caller's agents with the names in the file. @throws CommandFailedError if a name is ambiguous */
async function agentsCalled(context: Context, wanted: readonly WantedAgent[]): Promise<Map<string, Agent>> {
  const found = new Map<string, Agent>();
  for (const { name } of wanted) {
    const { items } = await readPages(ALL_PAGES, PAGE.resources, (page) =>
      agentKind.read(context, { q: name }, page),
    );
    const [agent, ...others] = items.filter((item) => item.name === name);
    if (others.length > 0)
      throw new CommandFailedError(
        `${others.length + 1} agents are called "${name}": rename all but one, or say which with --project`,
      );
    if (agent) found.set(name, agent);
  }
  return found;
}
