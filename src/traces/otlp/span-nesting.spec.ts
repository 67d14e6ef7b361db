import type { SubmittedSpan } from '../span.types.js';
import { settleNesting } from './span-nesting.js';

const TOKENS = {
  inputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1,
  reasoningTokens: 0,
};

type Given = Partial<SubmittedSpan> & Pick<SubmittedSpan, 'spanId' | 'parentSpanId'>;

const llm = (spanId: string, parentSpanId: string | null, tokens: object | null = TOKENS): Given =>
  ({ spanId, parentSpanId, kind: 'llm', isLlmCall: true, isToolCall: false, tokens, tool: null }) as Given;
const tool = (
  spanId: string,
  parentSpanId: string | null,
  name: string | null,
  isToolCall = true,
): Given => ({
  spanId,
  parentSpanId,
  kind: 'tool',
  isLlmCall: false,
  isToolCall,
  tokens: null,
  tool: name,
});

const settled = (given: readonly Given[]) => {
  const spans = given.map((span) => ({ traceId: 't', costUsd: null, ...span }) as SubmittedSpan);
  return settleNesting(new Map(spans.map((span) => [`${span.traceId}${span.spanId}`, span])));
};

const counted = (given: readonly Given[]) =>
  settled(given)
    .filter(({ isLlmCall, isToolCall }) => isLlmCall || isToolCall)
    .map(({ spanId }) => spanId);

describe('Calls within calls', () => {
  it.each<[string, readonly Given[], readonly string[]]>([
    ['the inner one of a model', [llm('b', 'a'), llm('a', null)], ['b']],
    ['the inner one, whatever their order', [llm('a', null), llm('b', 'a')], ['b']],
    ['the innermost one of three', [llm('a', null), llm('b', 'a'), llm('c', 'b')], ['c']],
    ['each of those within one', [llm('b', 'a'), llm('c', 'a'), llm('a', null)], ['b', 'c']],
    ['the outer one where the inner one tells no tokens', [llm('b', 'a', null), llm('a', null)], ['a']],
    ['the inner one where none tells tokens', [llm('b', 'a', null), llm('a', null, null)], ['b']],
    ['both where their parents are others', [llm('a', 'x'), llm('b', 'x')], ['a', 'b']],
    ['one that is its own parent', [llm('a', 'a')], ['a']],
    ['the outer one of a tool', [tool('b', 'a', 'search'), tool('a', null, 'search')], ['a']],
    ['another tool within a tool', [tool('b', 'a', 'read'), tool('a', null, 'search')], ['b', 'a']],
    ['a model within a tool', [llm('b', 'a'), tool('a', null, 'search')], ['b', 'a']],
  ])('count once: %s', (_, spans, expected) => {
    expect(counted(spans)).toEqual(expected);
  });

  it('leave no tokens and no cost with the one that does not count', () => {
    const spans = settled([llm('b', 'a'), { ...llm('a', null), costUsd: 3 }]);
    expect(spans).toMatchObject([{ tokens: TOKENS }, { tokens: null, costUsd: null, isLlmCall: false }]);
  });

  it('of another trace are others', () => {
    expect(counted([llm('b', 'a'), { ...llm('a', null), traceId: 'u' }])).toEqual(['b', 'a']);
  });

  it('give their name to a part that has none', () => {
    const spans = settled([tool('b', 'a', null), tool('a', null, 'Bash', false)]);
    expect(spans).toMatchObject([
      { tool: 'Bash', isToolCall: true },
      { tool: 'Bash', isToolCall: false },
    ]);
  });
});
