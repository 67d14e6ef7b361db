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
  it('shows the diagram of the state machine in the code, without the steps that keep a status', () => {
    const [, shown] = /```mermaid\n([\s\S]*?)\n```/.exec(page) ?? [];
    expect(shown).toBe(runDiagram());
  });

  it.each([...RUN_STATUSES, ...RUN_EVENT_TYPES])('explains the word %s', (word) => {
    expect(page).toContain(`\`${word}\``);
  });
});

/** The state machine as a Mermaid diagram, with one arrow for all events between two states. A single event of the name of its state is
 * left out. */
function runDiagram(): string {
  const { ask, begin } = RUN_CREATIONS;
  const steps = [
    [`[*] --> ${ask.to}`, ask.event],
    [`[*] --> ${begin.to}`, begin.event],
    ...Object.values<RunTransition>(RUN_TRANSITIONS)
      .filter(({ to }) => to !== 'same')
      .flatMap(({ from, to, event }) => from.map((status) => [`${status} --> ${to}`, event])),
  ] as const;
  const arrows = Map.groupBy(steps, ([arrow]) => arrow);
  const lines = [...arrows].map(([arrow, all]) => {
    const events = [...new Set(all.map(([, event]) => event))].join(', ');
    return arrow.endsWith(` ${events}`) ? `    ${arrow}` : `    ${arrow}: ${events}`;
  });
  return ['stateDiagram-v2', ...lines].join('\n');
}
