import { findJsonFault } from './json-fault.js';

const placeOf = (text: string) => {
  const fault = findJsonFault(text);
  return fault && [fault.line, fault.column];
};

describe('findJsonFault', () => {
  it.each(['{}', '[]', 'null', '-1.5e+3', '"\\u00e4"', ' {"a": [1, {"b": "c"}], "d": false}\n'])(
    'finds nothing in %j',
    (text) => expect(findJsonFault(text)).toBeNull(),
  );

  it.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a": 1\n "b": 2}', 2, 2],
    ['{\n  a: 1\n}', 2, 3],
    ['{\n  "a" 1\n}', 2, 7],
    ['["a", tru]', 1, 7],
    ['[1, 02]', 1, 5],
    ["{'a': 1}", 1, 2],
    ['{"a": "b\n"}', 1, 7],
    ['["\\x"]', 1, 2],
    ['{} {}', 1, 4],
    ['[1 2]', 1, 4],
    ['[,]', 1, 2],
  ])('returns the place of the fault in %j', (text, line, column) =>
    expect(placeOf(text)).toEqual([line, column]),
  );

  it('describes the fault', () => {
    expect(findJsonFault('{"command": [node]}')?.message).toBe(
      'node is not a value: strings need double quotes',
    );
    expect(findJsonFault('{"a": [1,]}')?.message).toBe('A "," may not stand before "]"');
  });

  it('accepts and refuses the same texts as JSON.parse', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\n',
      '"',
    ];
    const disagreements: string[] = [];
    let seed = 7;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647);
    for (let round = 0; round < 5_000; round += 1) {
      const text = Array.from({ length: 1 + (random() % 6) }, () => pieces[random() % pieces.length]).join(
        '',
      );
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      const fault = findJsonFault(text);
      if ((fault === null) !== isJson || fault?.message === 'This is not valid JSON')
        disagreements.push(text);
    }
    expect(disagreements).toEqual([]);
  });

  it('reports a document that is nested too deeply for the stack', () => {
    expect(findJsonFault('['.repeat(200_000))).toMatchObject({ line: 1 });
  });
});
