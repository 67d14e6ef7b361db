import type { Pause } from '@agent-control-plane/client';

/** Maximum length of a reason in characters. */
export const LONGEST_REASON = 500;

/** The agents that a pause was begun for: `Label team:billing`; null: one agent, which has a name. Pure. */
export function selectionText({ by, agent_id, label, type }: Pause): string | null {
  if (by === 'budget') return 'Agents of a budget';
  if (agent_id !== null) return null;
  if (label === null && type === null) return 'All agents of the project';
  const parts = [label !== null && `label ${label}`, type !== null && `type ${type}`].filter(Boolean);
  const text = parts.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How many agents it holds, and how many of their runtimes have acknowledged it. Pure. */
export function holdingText({ holding, confirmed }: Pick<Pause, 'holding' | 'confirmed'>): string {
  return confirmed === holding ? `${holding}, all confirmed` : `${holding}, ${confirmed} confirmed`;
}
