import { jest } from '@jest/globals';
import { LineSplitter, LONGEST_LINE_BYTES } from './line-splitter.js';

function linesOf(...chunks: (string | Buffer)[]): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk as string));
  splitter.end();
  return lines;
}

describe('Lines of output', () => {
  it('are complete with any chunks', () => {
    expect(linesOf('one\ntw', 'o\n', '\nfo', 'ur')).toEqual(['one', 'two', '', 'four']);
    expect(linesOf()).toEqual([]);
    expect(linesOf('no end')).toEqual(['no end']);
  });

  it('may be split anywhere, even within a character', () => {
    const text = Buffer.from('größer\n€\n');
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(linesOf(text.subarray(0, cut), text.subarray(cut))).toEqual(['größer', '€']);
  });

  it('end with CR LF on some systems, and a CR alone overwrites the text before it', () => {
    expect(linesOf('dos\r\n', '10%\r50%\r100%\n', 'cut\r', '\n')).toEqual(['dos', '100%', 'cut']);
  });

  it('replace malformed UTF-8', () => {
    expect(linesOf(Buffer.from([0x61, 0xff, 0x62, 0x0a]))).toEqual(['a\ufffdb']);
  });

  it('are truncated at once when they are too long, without a loss of later lines', () => {
    const [cut, next] = linesOf('x'.repeat(LONGEST_LINE_BYTES), 'y'.repeat(100_000), 'zzz\nnext\n');
    expect(cut).toBe(`${'x'.repeat(LONGEST_LINE_BYTES)}…[truncated]`);
    expect(next).toBe('next');
    // no half of a character is left at the cut
    expect(linesOf(`a${'€'.repeat(10_000)}\n`)[0]).toMatch(/^a€+…\[truncated\]$/);
    expect(linesOf('x'.repeat(LONGEST_LINE_BYTES), '\n')).toEqual(['x'.repeat(LONGEST_LINE_BYTES)]);
  });

  it('are shown in pieces when a program leaves one without its end for a second', () => {
    jest.useFakeTimers();
    try {
      const lines: string[] = [];
      const splitter = new LineSplitter((line) => lines.push(line));
      splitter.push(Buffer.from('Continue? '));
      expect(lines).toEqual([]);
      jest.advanceTimersByTime(1_000);
      expect(lines).toEqual(['Continue? ']);
      // the end of what is shown already is no line
      splitter.push(Buffer.from('\r\nyes, €'.slice(0, -1)));
      splitter.push(Buffer.from('€').subarray(0, 2));
      jest.advanceTimersByTime(1_000);
      splitter.push(Buffer.from('€').subarray(2));
      splitter.push(Buffer.from('\n\nnext\n'));
      jest.advanceTimersByTime(10_000);
      splitter.end();
      expect(lines).toEqual(['Continue? ', 'yes, ', '€', '', 'next']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are shown once a second, as a terminal has them then, while a progress bar moves', () => {
    jest.useFakeTimers();
    try {
      const lines: string[] = [];
      const splitter = new LineSplitter((line) => lines.push(line));
      for (let percent = 10; percent <= 100; percent += 10) {
        splitter.push(Buffer.from(`\r${percent}%`));
        jest.advanceTimersByTime(250);
      }
      splitter.push(Buffer.from('\n'));
      expect(lines).toEqual(['40%', '80%', '100%']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are passed on from their beginning as well, when they come in pieces', () => {
    jest.useFakeTimers();
    try {
      const lines: [string, string][] = [];
      const splitter = new LineSplitter((...line) => lines.push(line));
      for (const piece of ['{"a": ', '1', '23}', '\nnext', '\n']) {
        splitter.push(Buffer.from(piece));
        if (piece !== '1') jest.advanceTimersByTime(1_000);
      }
      expect(lines).toEqual([
        ['{"a": ', '{"a": '],
        ['123}', '{"a": 123}'],
        ['next', 'next'],
      ]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are truncated from their beginning when their pieces are too long together', () => {
    jest.useFakeTimers();
    try {
      const lines: string[] = [];
      const splitter = new LineSplitter((_, whole) => lines.push(whole));
      for (let piece = 0; piece < 4; piece += 1) {
        splitter.push(Buffer.from('x'.repeat(LONGEST_LINE_BYTES / 2)));
        jest.advanceTimersByTime(1_000);
      }
      const cut = `${'x'.repeat(LONGEST_LINE_BYTES)}…[truncated]`;
      expect(lines.slice(1)).toEqual(['x'.repeat(LONGEST_LINE_BYTES), cut, cut]);
    } finally {
      jest.useRealTimers();
    }
  });
});
