import { separateContent, separateEventContent, toolExchangeOf } from './span-content.js';

const CONVERSATION = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.definitions',
  'gen_ai.retrieval.documents',
  'gen_ai.prompt',
  'gen_ai.prompt.0.content',
  'gen_ai.completion.12.tool_calls.0.arguments',
  'llm.input_messages.0.message.content',
  'llm.output_messages.0.message.content',
  'llm.prompts.0.prompt.text',
  'retrieval.documents.0.document.content',
  'embedding.embeddings.0.embedding.text',
  'ai.prompt',
  'ai.prompt.messages',
  'ai.response.text',
  'pydantic_ai.all_messages',
  'user_prompt',
  'response.model_output',
  'gcp.vertex.agent.llm_request',
  'langfuse.trace.input',
  'llm.openai.messages',
  'llm.azure_ai.choices',
];
const TOOL = [
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'ai.toolCall.args',
  'ai.toolCall.result',
  'tool.parameters',
  'tool_arguments',
  'tool_response',
  'gcp.vertex.agent.tool_call_args',
  'tool_input',
  'full_command',
];
const KEPT = [
  'gen_ai.prompt.name',
  'gen_ai.prompt.version',
  'gen_ai.usage.input_tokens',
  'gen_ai.tool.name',
  'gen_ai.tool.call.id',
  'llm.model_name',
  'llm.token_count.prompt',
  'llm.cost.completion_details.output',
  'ai.response.model',
  'user_prompt_length',
  'input.mime_type',
  'file_path',
  'error.type',
];

const attributesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'secret']));

describe('The content of a span', () => {
  const all = attributesOf([...CONVERSATION, ...TOOL, ...KEPT]);

  it.each([
    ['none', []],
    ['tools', TOOL],
    ['all', [...CONVERSATION, ...TOOL]],
  ] as const)('is taken out, and kept as "%s" says', (capture, names) => {
    expect(separateContent(all, false, capture)).toEqual({
      kept: attributesOf(KEPT),
      content: attributesOf(names),
    });
  });

  it.each(['input.value', 'output.value', 'traceloop.entity.input', 'traceloop.entity.output'])(
    'includes %s, which belongs to a tool on the span of a tool',
    (name) => {
      const attributes = attributesOf([name]);
      expect(separateContent(attributes, true, 'tools').content).toEqual(attributes);
      expect(separateContent(attributes, false, 'tools')).toEqual({ kept: {}, content: {} });
      expect(separateContent(attributes, false, 'all').content).toEqual(attributes);
    },
  );

  it('includes the path of a file on the span of a tool', () => {
    expect(separateContent({ file_path: 'secret' }, true, 'none').kept).toEqual({});
  });
});

describe('The content of an event', () => {
  const attributes = { output: 'secret', 'gen_ai.system': 'openai' };

  it.each([
    ['tool.output', 'tools', true],
    ['gen_ai.user.message', 'tools', false],
    ['gen_ai.user.message', 'all', true],
    ['gen_ai.choice', 'all', true],
  ] as const)('is all of %s, kept by "%s": %s', (event, capture, isKept) => {
    expect(separateEventContent(event, attributes, capture)).toEqual({
      kept: {},
      content: isKept ? attributes : {},
    });
  });

  it('is part of any other event', () => {
    const event = { 'gen_ai.prompt': 'secret', 'exception.type': 'E' };
    expect(separateEventContent('gen_ai.content.prompt', event, 'none')).toEqual({
      kept: { 'exception.type': 'E' },
      content: {},
    });
  });
});

describe('Arguments and result of a tool', () => {
  it.each<[string, Record<string, unknown>, unknown, unknown]>([
    [
      'the conventions',
      { 'gen_ai.tool.call.arguments': { a: 1 }, 'gen_ai.tool.call.result': 'r' },
      { a: 1 },
      'r',
    ],
    ['OpenInference', { 'input.value': 'i', 'output.value': 'o' }, 'i', 'o'],
    ["Vercel's AI SDK", { 'ai.toolCall.args': '{}', 'ai.toolCall.result': '1' }, '{}', '1'],
    ['Pydantic AI', { tool_arguments: '{}', tool_response: '1' }, '{}', '1'],
    ['nobody', { 'gen_ai.tool.name': 'x' }, undefined, undefined],
  ])('are read as %s writes them', (_, attributes, given, result) => {
    expect(toolExchangeOf(attributes, [])).toEqual({ arguments: given, result });
  });

  const event = (attributes: Record<string, unknown>) => [{ name: 'tool.output', attributes }];

  it('are both in the event of Claude Code', () => {
    const output = { bash_command: 'ls', output: 'a' };
    expect(toolExchangeOf({}, event(output))).toEqual({ arguments: [output], result: [output] });
  });

  it('are absent when an event has only the output', () => {
    expect(toolExchangeOf({}, event({ output: 'a' }))).toEqual({ arguments: undefined, result: undefined });
  });
});
