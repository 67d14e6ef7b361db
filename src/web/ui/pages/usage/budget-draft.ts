import type { Budget, BudgetTerms, NewBudget } from '../../api/budgets.js';
import { type Action, measured, type Measure, type Period } from '../../components/budget-words.js';
import { isLabelText } from '../../components/label-text.js';

/** The agents of a budget. */
export type Whose = 'project' | 'agent' | 'label';

/** The form of a budget as it is typed. */
export interface BudgetDraft {
  readonly name: string;
  readonly whose: Whose;
  readonly agentId: string | null;
  readonly label: string;
  readonly period: Period;
  readonly timezone: string;
  readonly measure: Measure;
  readonly amount: number | string;
  /** Per cent of the limit. */
  readonly warnAt: number | string;
  readonly onExceeded: Action;
}

/** Fields of the service's refusals that the form shows. */
export const BUDGET_FIELDS = ['name', 'agent_id', 'label', 'timezone', 'limit', 'warn_at'];

/** A new budget: dollars of a month, by the clock of the viewer. Pure. */
export const newDraft = (timezone: string): BudgetDraft => ({
  name: '',
  whose: 'project',
  agentId: null,
  label: '',
  period: 'month',
  timezone,
  measure: 'usd',
  amount: '',
  warnAt: 80,
  onExceeded: 'notify',
});

/** The form of a budget that exists. Pure. */
export function draftOf(budget: Budget): BudgetDraft {
  const { measure, value } = measured(budget.limit);
  return {
    name: budget.name,
    whose: budget.agent_id !== null ? 'agent' : budget.label !== null ? 'label' : 'project',
    agentId: budget.agent_id,
    label: budget.label ?? '',
    period: budget.period,
    timezone: budget.timezone,
    measure,
    amount: value,
    warnAt: Math.round(budget.warn_at * 1_000) / 10,
    onExceeded: budget.on_exceeded,
  };
}

/** The properties of a budget that can be changed; null: something is missing. Pure. */
export function termsOf(draft: BudgetDraft): BudgetTerms | null {
  const name = draft.name.trim();
  if (name === '' || typeof draft.amount !== 'number' || typeof draft.warnAt !== 'number') return null;
  return {
    name,
    timezone: draft.timezone,
    limit: { [draft.measure]: draft.amount },
    warn_at: draft.warnAt / 100,
    // a run can't be stopped otherwise than by its end
    on_exceeded: draft.period === 'run' && draft.onExceeded === 'stop' ? 'pause' : draft.onExceeded,
  };
}

/** A whole new budget; null: something is missing. Pure. */
export function newBudgetOf(draft: BudgetDraft, projectId: string | undefined): NewBudget | null {
  const terms = termsOf(draft);
  const scope = scopeOf(draft, projectId);
  return terms && scope && ({ ...terms, ...scope, period: draft.period } as NewBudget);
}

function scopeOf({ whose, agentId, label }: BudgetDraft, projectId: string | undefined) {
  // an agent's budget belongs to the agent's project
  if (whose === 'agent') return agentId === null ? null : { agent_id: agentId };
  const project = projectId === undefined ? {} : { project_id: projectId };
  if (whose === 'project') return project;
  return isLabelText(label.trim()) ? { ...project, label: label.trim() } : null;
}
