import { addressOf, groupingIn } from './grouping.js';

const search = (text: string) => new URLSearchParams(text);

describe('The address of the page of agents', () => {
  it('contains the grouping, and leaves out invalid values', () => {
    const given = ['group=type', 'group=project', 'group=label:team', 'group=label', 'group=name', ''];
    expect(given.map((text) => groupingIn(search(text)))).toEqual([
      'type',
      'project',
      'label:team',
      null,
      null,
      null,
    ]);
  });

  it('of a group keeps the other filters, and replaces that of the group', () => {
    const now = search('group=label:team&health=failing&type=worker');
    expect(addressOf(now, 'label:team', 'a:b')).toBe('/agents?health=failing&type=worker&label=team%3Aa%3Ab');
    expect(addressOf(now, 'type', 'scraper')).toBe('/agents?health=failing&type=scraper');
    expect(addressOf(now, 'label:team', null)).toBeUndefined();
  });
});
