import type { StatusSource } from './deployment-lifecycle.js';

/**
 * The sources of a status, for the state machines: what schedules and budgets do counts as the monitor's. Pure.
 * @param actor as the history records it
 */
export function sourceOf(actor: string): StatusSource {
  if (actor === 'monitor' || /^(?:schedule|budget):/.test(actor)) return 'monitor';
  return actor.startsWith('agent:') ? 'agent' : 'user';
}
