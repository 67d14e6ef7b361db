import type { Colors } from 'picocolors/types.js';
import { configDiff } from '../../output/config-diff.js';
import { printableLine } from '../../output/printable.js';
import { type AgentPlan, changesNothing } from './plan.js';
import { labelPairs } from '../agents/columns.js';

const UNSURE = 'only values that the service masks may differ: it compares them when the file is applied';

/** Text of a plan, for a person: the agent, and a line for each difference. */
export function planLines(plan: AgentPlan, isAsShown: boolean, colors: Colors): string[] {
  const { wanted, current, change, isUnsure, deploys, scalesTo } = plan;
  const name = printableLine(wanted.name);
  if (changesNothing(plan)) return [colors.dim(`  ${name}: no changes`)];
  const { config, labels, ...texts } = change;
  return [
    colors.bold(current ? `~ ${name}: ${isUnsure ? 'may change' : 'changes'}` : `+ ${name}: is created`),
    ...Object.entries(texts).map(([key, value]) => {
      const before = current?.[key as keyof typeof texts];
      return `    ${key}: ${before ? `${printableLine(before)} -> ` : ''}${printableLine(value)}`;
    }),
    ...(labels ? [`    labels: ${labelText(current?.labels ?? {})} -> ${labelText(labels)}`] : []),
    ...(isUnsure ? [`    config: ${UNSURE}`] : []),
    ...(config && !isUnsure
      ? configDiff({ before: current?.config ?? '{}', after: config, isAsShown }, colors).map(
          (line) => `    ${line}`,
        )
      : []),
    ...(deploys ? ['    deploys it; older active deployments stop once it is ready'] : []),
    ...(scalesTo === undefined ? [] : [`    scales it to ${scalesTo}`]),
  ];
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return printableLine(labelPairs(labels)) || 'none';
}
