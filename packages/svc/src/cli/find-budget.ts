import type { Budget } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const budgetArgument: CommandArgument = {
  name: 'budget',
  description: 'its name, its id, or the beginning of its id',
  completes: 'budget',
  parse: filled,
};

export const budgetKind: ResourceKind<Budget> = {
  noun: 'budget',
  isOfProject: true,
  list: 'svc budgets list',
  async read(context, _search, page, signal) {
    const query = { ...page, project_id: await context.projectId() };
    return context.service().GET('/budgets', { params: { query }, signal });
  },
  nameOf: ({ name }) => name,
  describe: ({ name, period, state }) => [name, period, state].join(', '),
};

/** @throws CommandFailedError if no budget or more than one matches */
export function findBudgetId(context: Context, text: string): Promise<string> {
  return findId(context, budgetKind, text);
}
