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

/** The state machine as a Mermaid diagram. */
function lifecycleDiagram(): string {
  const arrows = Object.values<Transition>(TRANSITIONS).flatMap((transition) =>
    transition.from.map((from) => {
      const to = transition.to === 'same' ? from : transition.to;
      return `    ${from} --> ${to}: ${transition.event} (${transition.by.join(' or ')})`;
    }),
  );
  const first = `    [*] --> ${CREATION.to}: ${CREATION.event} (user)`;
  // An agent's stop and that of one deployment are the same arrows.
  return ['stateDiagram-v2', first, ...new Set(arrows)].join('\n');
}
