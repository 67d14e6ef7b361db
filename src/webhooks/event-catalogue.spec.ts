import { CREATION, EVENT_TYPES, TRANSITIONS } from '../lifecycle/deployment-lifecycle.js';
import { DEFAULT_EVENTS, EVENT_KINDS, EVENT_PATTERNS, SUBSCRIBABLE_KINDS } from './event-catalogue.js';
import { patternsFor } from './event-patterns.js';

describe('The catalogue of events', () => {
  it('has one event for each step of the lifecycle, and no other', () => {
    const steps = [CREATION, ...Object.values(TRANSITIONS)].map(({ event }) => event);
    const kinds = SUBSCRIBABLE_KINDS.filter((kind) => kind.startsWith('deployment.'));
    expect(new Set(kinds)).toEqual(new Set(steps.map((event) => `deployment.${event}`)));
    expect(kinds).toHaveLength(EVENT_TYPES.length);
  });

  it('has the events of agents', () => {
    expect(SUBSCRIBABLE_KINDS.filter((kind) => kind.startsWith('agent.'))).toEqual([
      'agent.created',
      'agent.registered',
      'agent.status_changed',
      'agent.moved',
      'agent.paused',
      'agent.resumed',
      'agent.deleted',
    ]);
  });

  it('has the test event, which no webhook can select', () => {
    expect(EVENT_KINDS).toEqual([...SUBSCRIBABLE_KINDS, 'webhook.test']);
    expect(EVENT_PATTERNS).not.toContain('webhook.test');
  });

  it('names no event twice', () => {
    expect(new Set(EVENT_PATTERNS).size).toBe(EVENT_PATTERNS.length);
  });
});

describe('The patterns of an event', () => {
  it.each([
    ['deployment.heartbeat_lost', ['deployment.heartbeat_lost', 'deployment.*', '*']],
    ['agent.status_changed', ['agent.status_changed', 'agent.*', '*']],
  ] as const)('of %s are %j', (kind, patterns) => {
    expect(patternsFor(kind)).toEqual(patterns);
  });

  it('can all be selected by a webhook', () => {
    expect(EVENT_PATTERNS).toEqual(expect.arrayContaining(SUBSCRIBABLE_KINDS.flatMap(patternsFor)));
    expect(EVENT_PATTERNS).toEqual(expect.arrayContaining([...DEFAULT_EVENTS]));
  });
});
