import type { DeploymentHistory } from '@agent-control-plane/client';
import { type HistoryPage, type HistoryPages, stepsOf, withStep } from './deployment-history.js';

const step = (sequence: number, event_type = 'scale'): DeploymentHistory['items'][number] => ({
  id: `event-${sequence}`,
  deployment_id: 'deployment',
  project_id: 'project',
  sequence,
  event_type,
  status: 'ready',
  previous_status: 'ready',
  replicas: 1,
  actor: 'monitor',
  actor_name: null,
  actor_email: null,
  node_id: null,
  error_message: null,
  created_at: '2030-01-01T00:00:00.000Z',
});

const page = (sequences: number[], total: number, event_type: string | null = null): HistoryPage => ({
  deployment_id: 'deployment',
  deployment_status: 'ready',
  items: sequences.map((sequence) => step(sequence)),
  total,
  skip: 0,
  limit: 2,
  event_type,
  status: null,
  next: `/events?before=event-${sequences.at(-1)}`,
});

const loaded = (...pages: HistoryPage[]): HistoryPages => ({ pages, pageParams: pages.map(() => 0) });

const sequencesOf = (history: HistoryPages | 'gap') =>
  history === 'gap' ? history : stepsOf(history.pages).map(({ sequence }) => sequence);

describe('The loaded history of a deployment', () => {
  it('gets a new step at its top, and its next page still begins after its last step', () => {
    const history = withStep(loaded(page([5, 4], 5), page([3, 2], 5)), step(6)) as HistoryPages;

    expect(sequencesOf(history)).toEqual([6, 5, 4, 3, 2]);
    expect(history.pages.at(-1)!.next).toBe('/events?before=event-2');
    expect(history.pages[0]!.total).toBe(6);
  });

  it('gives a new step the names of its actor, as an earlier step has them', () => {
    const names = { actor: 'key:1', actor_name: 'ci', actor_email: 'ada@example.com' };
    const before = loaded(page([5, 4], 5));
    const [first] = before.pages;
    const known = { ...before, pages: [{ ...first!, items: [{ ...step(5), ...names }, step(4)] }] };
    const newest = (history: HistoryPages) =>
      (withStep(history, { ...step(6), actor: 'key:1' }) as HistoryPages).pages[0]!.items[0];
    expect(newest(known)).toMatchObject(names);
    expect(newest(before)).toMatchObject({ actor: 'key:1', actor_name: null, actor_email: null });
  });

  it('ignores a step that is loaded already', () => {
    const before = loaded(page([5, 4], 5));

    expect(withStep(before, step(5))).toBe(before);
    expect(withStep(before, step(4))).toBe(before);
  });

  it('reports a gap when a step in between is missing', () => {
    expect(withStep(loaded(page([5, 4], 5)), step(7))).toBe('gap');
  });

  it('gets only the new steps that match its filter, without reporting gaps', () => {
    const before = loaded(page([5, 2], 2, 'scale'));

    expect(withStep(before, step(6, 'ready'))).toBe(before);
    expect(sequencesOf(withStep(before, step(9)))).toEqual([9, 5, 2]);
  });

  it('contains a step once when it moved to the next page during a refresh', () => {
    expect(sequencesOf(loaded(page([5, 4], 5), page([4, 3], 6)))).toEqual([5, 4, 3]);
  });
});
