import type { Span } from '@agent-control-plane/client';
import { calledText, spanDuration, tokensOf } from './span-words.js';

describe('The words for spans', () => {
  it.each([
    [0, '0 ms'],
    [0.04, '0 ms'],
    [3.25, '3.3 ms'],
    [812.5, '812 ms'],
    [999.9, '999 ms'],
    [1_000, '1 s'],
    [200_000, '3 min 20 s'],
  ])('tell %d milliseconds', (milliseconds, text) => {
    expect(spanDuration(milliseconds)).toBe(text);
  });

  it.each<[Partial<Span>, string]>([
    [{ kind: 'llm', model: 'gpt-4o', tool: null }, 'Model · gpt-4o'],
    [{ kind: 'tool', model: null, tool: 'search' }, 'Tool · search'],
    [{ kind: 'agent', model: null, tool: null }, 'Agent'],
  ])('tell what %j calls', (span, text) => {
    expect(calledText(span as Span)).toBe(text);
  });

  it('count each token once', () => {
    const usage = {
      input_tokens: 1,
      cache_read_tokens: 10,
      cache_write_tokens: 100,
      output_tokens: 1_000,
      reasoning_tokens: 900,
    };
    expect(tokensOf({ usage } as Span)).toBe(1_111);
    expect(tokensOf({ usage: null } as Span)).toBeNull();
  });
});
