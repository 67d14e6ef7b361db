import { CREATION, type Transition, TRANSITIONS } from './deployment-lifecycle.js';

/** The state machine as a Mermaid diagram; a test compares it with the one in `docs/lifecycle.md`. */
export function lifecycleDiagram(): string {
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
