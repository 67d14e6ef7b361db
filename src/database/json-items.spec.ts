import { itemsOfLists, textOf } from './json-items.js';

/** As `json_agg` writes them. */
const gathered = (lists: readonly (readonly (string | null)[])[]) =>
  `[${lists.map((list) => JSON.stringify(list)).join(', \n ')}]`;

describe('The items of lists', () => {
  it.each([
    ['plain texts', ['one', 'two']],
    ['no text', ['']],
    ['nothing', [null, 'x', null]],
    ['quotes', ['"', '""', 'a "word" of it']],
    ['backslashes', ['\\', '\\\\', '\\"', '"\\', '\\\\"']],
    ['what looks like an end', ['","', '],["', 'null', '[', ']']],
    ['control characters and others', ['\n\t\u0001', '\u2028 ü 😀']],
  ])('are found as their JSON, which gives the texts again: %s', (_, list) => {
    const items = list.map((item) => JSON.stringify(item));
    expect(itemsOfLists(gathered([list, list]))).toEqual([items, items]);
    expect(items.map((item) => (item === 'null' ? null : textOf(item)))).toEqual(list);
  });

  it('are none in an empty list', () => {
    expect(itemsOfLists('[]')).toEqual([]);
  });
});
