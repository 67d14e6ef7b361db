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
  it('shows the diagram of the state machine in the code', () => {
    const [, shown] = /```mermaid\n([\s\S]*?)\n```/.exec(page) ?? [];
    expect(shown).toBe(lifecycleDiagram());
  });

  it.each([...DEPLOYMENT_STATUSES, ...EVENT_TYPES])('explains the word %s', (word) => {
    expect(page).toContain(`\`${word}\``);
  });
});

/** The state machine as a Mermaid diagram, with one arrow for all events between two states. */
function lifecycleDiagram(): string {
  const arrows = new Map([[`[*] --> ${CREATION.to}`, new Set<string>([CREATION.event])]]);
  for (const { from, to, event } of Object.values<Transition>(TRANSITIONS)) {
    for (const state of from) {
      const arrow = `${state} --> ${to === 'same' ? state : to}`;
      arrows.set(arrow, (arrows.get(arrow) ?? new Set()).add(event));
    }
  }
  const lines = [...arrows].map(([arrow, events]) => `    ${arrow}: ${[...events].join(', ')}`);
  return ['stateDiagram-v2', ...lines].join('\n');
}
