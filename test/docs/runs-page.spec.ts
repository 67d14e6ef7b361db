import { readFile } from 'node:fs/promises';
import {
  RUN_CREATIONS,
  RUN_EVENT_TYPES,
  RUN_STATUSES,
  type RunTransition,
  RUN_TRANSITIONS,
} from '../../src/lifecycle/run-lifecycle.js';

const page = await readFile('docs/runs.md', 'utf8');

describe('docs/runs.md', () => {
  it('shows the diagram of the state machine in the code', () => {
    const [, shown] = /```mermaid\n([\s\S]*?)\n```/.exec(page) ?? [];
    expect(shown).toBe(runDiagram());
  });

  it.each([...RUN_STATUSES, ...RUN_EVENT_TYPES])('explains the word %s', (word) => {
    expect(page).toContain(`\`${word}\``);
  });
});

/** The state machine as a Mermaid diagram. */
function runDiagram(): string {
  const { ask, begin } = RUN_CREATIONS;
  const arrows = Object.values<RunTransition>(RUN_TRANSITIONS).flatMap(({ from, to, event, by }) =>
    from.map((status) => `    ${status} --> ${to === 'same' ? status : to}: ${event} (${by.join(' or ')})`),
  );
  return [
    'stateDiagram-v2',
    `    [*] --> ${ask.to}: ${ask.event} (user)`,
    `    [*] --> ${begin.to}: ${begin.event} (agent)`,
    ...arrows,
  ].join('\n');
}
