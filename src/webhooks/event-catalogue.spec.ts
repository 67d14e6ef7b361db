import { CREATION, EVENT_TYPES, TRANSITIONS } from '../lifecycle/deployment-lifecycle.js';
import {
  DEFAULT_EVENTS,
  EVENT_KINDS,
  EVENT_PATTERNS,
  patternsFor,
  SUBSCRIBABLE_KINDS,
} from './event-catalogue.js';

describe('The catalogue of events', () => {
  it('has a kind for each step of the lifecycle, and no other', () => {
    const steps = [CREATION, ...Object.values(TRANSITIONS)].map(({ event }) => event);
    const kinds = SUBSCRIBABLE_KINDS.filter((kind) => kind.startsWith('deployment.'));
    expect(new Set(kinds)).toEqual(new Set(steps.map((event) => `deployment.${event}`)));
    expect(kinds).toHaveLength(EVENT_TYPES.length);
  });

  it('has the kinds that agents have', () => {
    expect(SUBSCRIBABLE_KINDS.filter((kind) => kind.startsWith('agent.'))).toEqual([
      'agent.created',
      'agent.registered',
      'agent.status_changed',
      'agent.deleted',
    ]);
  });

  it('has the test, which nobody can ask for', () => {
    expect(EVENT_KINDS).toEqual([...SUBSCRIBABLE_KINDS, 'webhook.test']);
    expect(EVENT_PATTERNS).not.toContain('webhook.test');
  });

  it('names no kind twice', () => {
    expect(new Set(EVENT_PATTERNS).size).toBe(EVENT_PATTERNS.length);
  });
});

describe('Patterns', () => {
  it.each([
    ['deployment.heartbeat_lost', ['deployment.heartbeat_lost', 'deployment.*', '*']],
    ['agent.status_changed', ['agent.status_changed', 'agent.*', '*']],
  ] as const)('%s is asked for by %j', (kind, patterns) => {
    expect(patternsFor(kind)).toEqual(patterns);
  });

  it('are all among those that a webhook can have', () => {
    expect(EVENT_PATTERNS).toEqual(expect.arrayContaining(SUBSCRIBABLE_KINDS.flatMap(patternsFor)));
    expect(EVENT_PATTERNS).toEqual(expect.arrayContaining([...DEFAULT_EVENTS]));
  });
});
