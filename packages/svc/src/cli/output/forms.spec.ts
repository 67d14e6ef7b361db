import { load } from 'js-yaml';
import { FORMS, yamlText } from './forms.js';

const name = FORMS.name!;
const yaml = FORMS.yaml!;

describe('Data as YAML', () => {
  it('is the same value, and harmless to a terminal', () => {
    const value = {
      a: 'x\u001b[2J',
      b: 'line\nfeed',
      c: '01234',
      d: ['\u202e', { e: 1 }],
      f: null,
      g: '\u2028',
    };
    const text = yaml(value, false);
    expect(load(text)).toEqual(value);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u2028\u202e]/u);
    expect(load(yamlText(value))).toEqual(value);
  });

  it('begins each document with a line of its own where others follow', () => {
    expect(yaml({ a: 1 }, true)).toBe('---\na: 1');
  });
});

describe('Data as names', () => {
  it('are the words that other commands take', () => {
    expect(
      name(
        [
          { id: '1', name: 'reader' },
          { id: '2', name: 'writer' },
        ],
        false,
      ),
    ).toBe('reader\nwriter');
    expect(name({ id: '3', name: 'daily', agent_name: 'reader' }, false)).toBe('3');
    expect(name({ items: [{ id: '4', agent_id: '5' }] }, false)).toBe('4');
    expect(name({ id: '6', url: 'https://example.com' }, false)).toBe('https://example.com');
    expect(name({ agent_id: '7', stopped: 1 }, false)).toBe('7');
    expect(name([{ id: '8', name: 'a\nb' }], false)).toBe('a\\nb');
  });
});
