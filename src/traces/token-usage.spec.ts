import { claudeCodeTokenUsageOf, tokenUsageOf } from './token-usage.js';

const NONE = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
const G = 'gen_ai.usage.';
const L = 'llm.token_count.';
const A = 'ai.usage.';

type Row = [string, Record<string, unknown>, Partial<typeof NONE>];

describe('The tokens of a call', () => {
  it.each<Row>([
    [
      'input and output',
      { [`${G}input_tokens`]: 100, [`${G}output_tokens`]: 20 },
      { inputTokens: 100, outputTokens: 20 },
    ],
    [
      'the names until version 1.26',
      { [`${G}prompt_tokens`]: 100, [`${G}completion_tokens`]: 20 },
      { inputTokens: 100, outputTokens: 20 },
    ],
    [
      'the new names before the old ones',
      { [`${G}prompt_tokens`]: 1, [`${G}input_tokens`]: 100 },
      { inputTokens: 100 },
    ],
    [
      'an input that includes what was read and written',
      {
        [`${G}input_tokens`]: 1_000,
        [`${G}cache_read.input_tokens`]: 700,
        [`${G}cache_write.input_tokens`]: 200,
      },
      { inputTokens: 100, cacheReadTokens: 700, cacheWriteTokens: 200 },
    ],
    [
      'an input that is all cached',
      { [`${G}input_tokens`]: 700, [`${G}cache_read.input_tokens`]: 700 },
      { inputTokens: 0, cacheReadTokens: 700 },
    ],
    [
      'an input that excludes them',
      { [`${G}input_tokens`]: 4, [`${G}cache_read.input_tokens`]: 700 },
      { inputTokens: 4, cacheReadTokens: 700 },
    ],
    [
      'the older name of what was written',
      { [`${G}input_tokens`]: 300, [`${G}cache_creation.input_tokens`]: 200 },
      { inputTokens: 100, cacheWriteTokens: 200 },
    ],
    [
      'what was written once, under both names',
      {
        [`${G}input_tokens`]: 300,
        [`${G}cache_creation.input_tokens`]: 200,
        [`${G}cache_write.input_tokens`]: 200,
      },
      { inputTokens: 100, cacheWriteTokens: 200 },
    ],
    [
      'names of OpenLLMetry',
      {
        [`${G}prompt_tokens`]: 300,
        [`${G}cache_read_input_tokens`]: 150,
        [`${G}cache_creation_input_tokens`]: 50,
      },
      { inputTokens: 100, cacheReadTokens: 150, cacheWriteTokens: 50 },
    ],
    [
      'reasoning, which is within the output',
      { [`${G}output_tokens`]: 90, [`${G}reasoning.output_tokens`]: 60 },
      { outputTokens: 90, reasoningTokens: 60 },
    ],
    [
      'reasoning that is not within the output',
      { [`${G}output_tokens`]: 30, [`${G}reasoning.output_tokens`]: 60 },
      { outputTokens: 90, reasoningTokens: 60 },
    ],
    [
      'names of OpenInference',
      {
        [`${L}prompt`]: 500,
        [`${L}prompt_details.cache_read`]: 300,
        [`${L}prompt_details.cache_write`]: 100,
        [`${L}completion`]: 70,
        [`${L}completion_details.reasoning`]: 20,
        [`${L}total`]: 570,
      },
      {
        inputTokens: 100,
        cacheReadTokens: 300,
        cacheWriteTokens: 100,
        outputTokens: 70,
        reasoningTokens: 20,
      },
    ],
    [
      "names of Vercel's AI SDK",
      {
        [`${A}inputTokens`]: 500,
        [`${A}inputTokenDetails.cacheReadTokens`]: 300,
        [`${A}cachedInputTokens`]: 300,
        [`${A}outputTokens`]: 70,
        [`${A}reasoningTokens`]: 20,
      },
      { inputTokens: 200, cacheReadTokens: 300, outputTokens: 70, reasoningTokens: 20 },
    ],
    [
      'names of its version 4',
      { [`${A}promptTokens`]: 5, [`${A}completionTokens`]: 7 },
      { inputTokens: 5, outputTokens: 7 },
    ],
    [
      'numbers as texts',
      { [`${G}input_tokens`]: '100', [`${G}output_tokens`]: '20' },
      { inputTokens: 100, outputTokens: 20 },
    ],
    ['zeros', { [`${G}input_tokens`]: 0, [`${G}output_tokens`]: 0 }, {}],
    [
      'the next name where a value is impossible',
      { [`${G}input_tokens`]: -1, [`${G}prompt_tokens`]: 5, [`${G}output_tokens`]: 1.5 },
      { inputTokens: 5 },
    ],
  ])('are read from %s', (_, attributes, expected) => {
    expect(tokenUsageOf(attributes)).toEqual({ ...NONE, ...expected });
  });

  it.each<[string, unknown]>([
    ['negative', -5],
    ['broken', 0.5],
    ['more than any model takes', 1_000_000_001],
    ['beyond 2^53, which is a text then', '9223372036854775807'],
    ['not a number', Number.NaN],
    ['infinite', 'Infinity'],
    ['a word', 'many'],
    ['a blank text', ' '],
    ['a long text', '1'.repeat(64 * 1024)],
    ['a list', [1]],
    ['true', true],
    ['null', null],
  ])('are not told by a value that is %s', (_, value) => {
    expect(tokenUsageOf({ [`${G}input_tokens`]: value })).toBeNull();
  });

  it.each<Row>([
    [
      'without cached tokens in the input, though it is larger',
      { input_tokens: 1_000, cache_read_tokens: 700, cache_creation_tokens: 200, output_tokens: 20 },
      { inputTokens: 1_000, cacheReadTokens: 700, cacheWriteTokens: 200, outputTokens: 20 },
    ],
    ['of an output alone', { output_tokens: 20 }, { outputTokens: 20 }],
  ])('of Claude Code are read %s', (_, attributes, expected) => {
    expect(claudeCodeTokenUsageOf(attributes)).toEqual({ ...NONE, ...expected });
  });

  it('of Claude Code are absent in a failed request', () => {
    expect(claudeCodeTokenUsageOf({ success: false })).toBeNull();
  });
});
