import { diffParts } from './diff-parts.js';

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

describe('The lines of a difference', () => {
  const before = text('a', 'b', 'c', 'd', 'e', 'f', 'g');
  const after = text('a', 'b', 'c', 'd', 'e', 'F', 'g');

  it('leave out equal lines far from the differences', () => {
    expect(diffParts(before, after, 2)).toEqual([
      { kind: 'gap', text: '', lines: 3 },
      { kind: 'same', text: 'd\ne\n', lines: 2 },
      { kind: 'removed', text: 'f\n', lines: 1 },
      { kind: 'added', text: 'F\n', lines: 1 },
      { kind: 'same', text: 'g\n', lines: 1 },
    ]);
  });

  it('are complete where no context is given', () => {
    const parts = diffParts(before, after);
    expect(parts.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same']);
  });

  it('are one gap where nothing differs', () => {
    expect(diffParts(before, before, 2)).toEqual([{ kind: 'gap', text: '', lines: 7 }]);
  });
});
