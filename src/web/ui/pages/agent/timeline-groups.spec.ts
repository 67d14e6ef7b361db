import type { TimelineEntry } from '../../api/agent-timeline.js';
import { timelineLines } from './timeline-groups.js';

const entry = (
  kind: TimelineEntry['kind'],
  event: string,
  ended_at: string | null = '2026-01-31T09:30:00Z',
) => ({ kind, event, ended_at }) as TimelineEntry;

describe('The timeline of an agent', () => {
  it('has one line for runs in a row that came to the same, from three on', () => {
    const succeeded = entry('run', 'succeeded');
    const entries = [succeeded, succeeded, succeeded, entry('deployment', 'ready'), succeeded, succeeded];
    expect(timelineLines(entries).map(({ length }) => length)).toEqual([3, 1, 1, 1]);
  });

  it('has a line for each run that came to something else, or has not ended', () => {
    const queued = entry('run', 'queued', null);
    const failed = entry('run', 'failed');
    const entries = [queued, queued, queued, failed, entry('run', 'succeeded'), failed];
    expect(timelineLines(entries)).toHaveLength(6);
  });
});
