import { until } from '../harness/until.js';
import type { TestAgent } from './agents.js';
import type { Person } from './people.js';
import { exportSpans, llmSpan } from './traces.js';

/** Has an agent come near the limit of a budget of its own, and then past it. */
export async function spendBudget(person: Person, agent: TestAgent): Promise<void> {
  const body = {
    name: 'four calls',
    agent_id: agent.id,
    period: 'day',
    limit: { llm_calls: 4 },
    warn_at: 0.5,
  };
  const { id } = (await person.api.post('/budgets', body)).body;
  for (const state of ['warning', 'exceeded']) {
    await exportSpans(agent, [llmSpan(), llmSpan()]);
    await until(async () => (await person.api.get(`/budgets/${id}`)).body.state === state);
  }
}
