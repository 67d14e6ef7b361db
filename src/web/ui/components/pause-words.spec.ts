import type { Pause } from '@agent-control-plane/client';
import { holdingText, selectionText } from './pause-words.js';

describe('The words for a pause', () => {
  it.each<[Partial<Pause>, string | null]>([
    [{ label: 'team:billing' }, 'Label team:billing'],
    [{ type: 'worker' }, 'Type worker'],
    [{ label: 'team:billing', type: 'worker' }, 'Label team:billing, type worker'],
    [{}, 'All agents of the project'],
    [{ agent_id: '0192f0c1' }, null],
    [{ by: 'budget', label: 'team:billing' }, 'Agents of a budget'],
  ])('tell whom %j is for', (part, text) => {
    const pause = { by: 'user', agent_id: null, label: null, type: null, ...part } as Pause;
    expect(selectionText(pause)).toBe(text);
  });

  it.each([
    [12, 11, '12, 11 confirmed'],
    [12, 12, '12, all confirmed'],
    [1, 0, '1, 0 confirmed'],
  ])('tell that it holds %d agents of which %d have confirmed', (holding, confirmed, text) => {
    expect(holdingText({ holding, confirmed })).toBe(text);
  });
});
