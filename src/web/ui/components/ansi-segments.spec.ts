import { ansiSegments, withMatches } from './ansi-segments.js';

const plain = (text: string) => ({ text, classes: [] });

describe('The colours of a line', () => {
  it('are read from ANSI sequences, which are removed from the text', () => {
    expect(ansiSegments('no colour')).toEqual([plain('no colour')]);
    expect(ansiSegments('a \u001b[31;1mred\u001b[0m b')).toEqual([
      plain('a '),
      { text: 'red', classes: ['ansi-red', 'bold'] },
      plain(' b'),
    ]);
    expect(ansiSegments('\u001b[38;5;196mx\u001b[48;2;1;2;3my')).toEqual([
      { text: 'x', classes: [], color: 'rgb(255, 0, 0)' },
      { text: 'y', classes: [], color: 'rgb(255, 0, 0)', background: 'rgb(1, 2, 3)' },
    ]);
    expect(ansiSegments('\u001b[97;44mz')).toEqual([
      { text: 'z', classes: ['ansi-bright-white', 'ansi-bg-blue'] },
    ]);
  });

  it('leave out titles, links and cursor movements, and keep markup as text', () => {
    const line =
      '\u001b]0;title\u0007\u001b[2K\u001b]8;;https://evil.example\u001b\\<b onclick="x">link</b>\u001b]8;;\u001b\\';
    expect(
      ansiSegments(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe('<b onclick="x">link</b>');
  });
});

describe('Matches in a line', () => {
  it('are marked in any case and across colours', () => {
    const segments = withMatches(ansiSegments('Mail \u001b[32mmai\u001b[0mlbox'), 'MAIL');
    expect(segments.map(({ text, isMatch = false }) => [text, isMatch])).toEqual([
      ['Mail', true],
      [' ', false],
      ['mai', true],
      ['l', true],
      ['box', false],
    ]);
  });

  it('are empty without a search, and treat the search as plain text', () => {
    expect(withMatches([plain('a.b')], '')).toEqual([plain('a.b')]);
    expect(withMatches([plain('a.b axb')], 'a.b').filter(({ isMatch }) => isMatch)).toHaveLength(1);
  });
});
