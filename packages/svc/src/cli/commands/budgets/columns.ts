import type { Budget } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { actorText } from '../../output/actor-name.js';
import { count, dollars } from '../../output/amounts.js';
import { paintStatus } from '../../output/paint.js';
import { printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

type Amount = Budget['limit'];

export function budgetColumns(context: Context): Column<Budget>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'BUDGET', value: ({ id }) => id, fit: 'id' },
    { title: 'NAME', value: ({ name }) => name, fit: 'name' },
    { title: 'AGENTS', value: limitedBy, fit: 'detail' },
    { title: 'PERIOD', value: ({ period }) => period },
    { title: 'SPENT', value: ({ spent }) => amountText(spent), fit: 'status' },
    { title: 'LIMIT', value: ({ limit }) => amountText(limit), fit: 'status' },
    {
      title: 'STATE',
      value: ({ state }) => state,
      paint: (text) => paintStatus(text, colors),
      fit: 'status',
    },
    { title: 'THEN', value: ({ on_exceeded }) => on_exceeded },
    { title: 'RESETS', value: ({ resets_at }) => relativeTime(resets_at, now) },
  ];
}

/** One budget, in the form that every command prints. */
export function printBudget(context: Context, budget: Budget): void {
  const now = context.now();
  printRecord(context, budget, [
    ['Budget', budget.id],
    ['Name', budget.name],
    ['Agents', limitedBy(budget)],
    ['Period', budget.period === 'run' ? 'each run' : `${budget.period} in ${budget.timezone}`],
    ['Spent', amountText(budget.spent)],
    ['Limit', amountText(budget.limit)],
    ['State', budget.state, (text) => paintStatus(text, context.terminal.colors)],
    ['Warns at', `${Math.round(budget.warn_at * 100)} %`],
    ['Then', budget.on_exceeded],
    ['Pause', budget.pause_id],
    ['Began', relativeTime(budget.period_started_at, now)],
    ['Resets', relativeTime(budget.resets_at, now)],
    ['Created', relativeTime(budget.created_at, now)],
    ['By', makerOf(budget)],
  ]);
}

const makerOf = ({ created_by: actor, created_by_name, created_by_email }: Budget): string =>
  actorText({ actor, actor_name: created_by_name ?? null, actor_email: created_by_email ?? null });

function limitedBy({ agent_id, agent_name, label }: Budget): string {
  return agent_name ?? agent_id ?? (label === null ? 'all' : `label ${label}`);
}

/** `$20.00`, `1,000,000 tokens`: an amount in the one measure of a budget. */
export function amountText({ usd, ...counts }: Amount): string {
  if (usd !== undefined) return dollars(usd);
  const [[measure, number] = ['', 0]] = Object.entries(counts);
  // the amount spent is in seconds
  return `${count(Math.round(number * 10) / 10)} ${measure.replace('_', ' ')}`;
}
