import { readFile } from 'node:fs/promises';
import {
  CREATION,
  DEPLOYMENT_STATUSES,
  EVENT_TYPES,
  type Transition,
  TRANSITIONS,
} from '../../src/lifecycle/deployment-lifecycle.js';

const page = await readFile('docs/lifecycle.md', 'utf8');

describe('docs/lifecycle.md', () => {
  it('shows the diagram of the state machine in the code, without the steps that keep a status', () => {
    const [, shown] = /```mermaid\n([\s\S]*?)\n```/.exec(page) ?? [];
    expect(shown).toBe(lifecycleDiagram());
  });

  it.each([...DEPLOYMENT_STATUSES, ...EVENT_TYPES])('explains the word %s', (word) => {
    expect(page).toContain(`\`${word}\``);
  });
});

/**
 * The state machine as a Mermaid diagram, with one arrow for all events between two states. A single event of the name of its
 * state is left out.
 */
function lifecycleDiagram(): string {
  const steps = [
    [`[*] --> ${CREATION.to}`, CREATION.event],
    ...Object.values<Transition>(TRANSITIONS)
      .filter(({ to }) => to !== 'same')
      .flatMap(({ from, to, event }) => from.map((state) => [`${state} --> ${to}`, event])),
  ] as const;
  const arrows = Map.groupBy(steps, ([arrow]) => arrow);
  const lines = [...arrows].map(([arrow, all]) => {
    const events = [...new Set(all.map(([, event]) => event))].join(', ');
    return arrow.endsWith(` ${events}`) ? `    ${arrow}` : `    ${arrow}: ${events}`;
  });
  return ['stateDiagram-v2', ...lines].join('\n');
}
