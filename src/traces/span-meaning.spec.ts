import { meaningOf } from './span-meaning.js';
import type { SpanKind } from './span.types.js';

const OPERATION = 'gen_ai.operation.name';
const OPENINFERENCE = 'openinference.span.kind';

type Call = 'llm' | 'tool' | '';

describe('The kind of a span', () => {
  it.each<[string, Record<string, unknown>, SpanKind, Call]>([
    ['chat', { [OPERATION]: 'chat' }, 'llm', 'llm'],
    ['generate_content', { [OPERATION]: 'generate_content' }, 'llm', 'llm'],
    ['text_completion', { [OPERATION]: 'text_completion' }, 'llm', 'llm'],
    ['embeddings', { [OPERATION]: 'embeddings' }, 'embedding', 'llm'],
    ['retrieval', { [OPERATION]: 'retrieval' }, 'retrieval', ''],
    ['search_memory', { [OPERATION]: 'search_memory' }, 'retrieval', ''],
    ['execute_tool', { [OPERATION]: 'execute_tool' }, 'tool', 'tool'],
    ['invoke_agent', { [OPERATION]: 'invoke_agent' }, 'agent', ''],
    ['invoke_workflow', { [OPERATION]: 'invoke_workflow' }, 'agent', ''],
    ['plan', { [OPERATION]: 'plan' }, 'agent', ''],
    ['create_agent', { [OPERATION]: 'create_agent' }, 'agent', ''],
    ['an operation that is not known', { [OPERATION]: 'fetch_response' }, 'other', ''],
    ['LLM', { [OPENINFERENCE]: 'LLM' }, 'llm', 'llm'],
    ['EMBEDDING', { [OPENINFERENCE]: 'EMBEDDING' }, 'embedding', 'llm'],
    ['TOOL', { [OPENINFERENCE]: 'TOOL' }, 'tool', 'tool'],
    ['AGENT', { [OPENINFERENCE]: 'AGENT' }, 'agent', ''],
    ['RETRIEVER', { [OPENINFERENCE]: 'RETRIEVER' }, 'retrieval', ''],
    ['RERANKER', { [OPENINFERENCE]: 'RERANKER' }, 'retrieval', ''],
    ['CHAIN', { [OPENINFERENCE]: 'CHAIN' }, 'other', ''],
    ['the operation before the kind', { [OPERATION]: 'invoke_agent', [OPENINFERENCE]: 'LLM' }, 'agent', ''],
    ['the kind where the operation is not known', { [OPERATION]: 'x', [OPENINFERENCE]: 'LLM' }, 'llm', 'llm'],
    ['claude_code.interaction', {}, 'agent', ''],
    ['claude_code.llm_request', {}, 'llm', 'llm'],
    ['claude_code.tool', {}, 'tool', ''],
    ['claude_code.tool.execution', {}, 'tool', 'tool'],
    ['claude_code.tool.blocked_on_user', {}, 'other', ''],
    ['claude_code.hook', {}, 'other', ''],
    ['a chat of OpenLLMetry', { 'llm.request.type': 'chat' }, 'llm', 'llm'],
    ['an embedding of OpenLLMetry', { 'llm.request.type': 'embedding' }, 'embedding', 'llm'],
    ['a tool of OpenLLMetry', { 'traceloop.span.kind': 'tool' }, 'tool', 'tool'],
    ['a workflow of OpenLLMetry', { 'traceloop.span.kind': 'workflow' }, 'agent', ''],
    ['a task of OpenLLMetry', { 'traceloop.span.kind': 'task' }, 'other', ''],
    ['a step of the AI SDK', { 'ai.operationId': 'ai.streamText.doStream' }, 'llm', 'llm'],
    ['the sum of its steps', { 'ai.operationId': 'ai.streamText' }, 'agent', ''],
    ['a tool of the AI SDK', { 'ai.operationId': 'ai.toolCall' }, 'tool', 'tool'],
    ['an embedding of the AI SDK', { 'ai.operationId': 'ai.embed.doEmbed' }, 'embedding', 'llm'],
    [
      'a call before there were operations',
      { 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-4' },
      'llm',
      'llm',
    ],
    ['a span that names a provider alone', { 'gen_ai.system': 'openai' }, 'other', ''],
    ['our own', { 'agent_control_plane.span_kind': 'retrieval', [OPERATION]: 'chat' }, 'retrieval', ''],
  ])('is read from %s', (name, attributes, kind, call) => {
    expect(meaningOf(name, attributes)).toMatchObject({
      kind,
      isGenAi: true,
      isLlmCall: call === 'llm',
      isToolCall: call === 'tool',
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['GET', { 'http.request.method': 'GET', 'session.id': 's', 'gen_ai.agent.name': 'on all spans' }],
    ['SELECT', { 'db.system.name': 'postgresql', 'agent_control_plane.run_id': 'r' }],
    ['a kind that is no text', { [OPERATION]: 5, [OPENINFERENCE]: ['LLM'] }],
    ['toString', {}],
  ])('says that %s has nothing to do with models', (name, attributes) => {
    expect(meaningOf(name, attributes)).toMatchObject({ kind: 'other', isGenAi: false });
  });

  it.each(['constructor', '__proto__', 'toString'])('is not confused by the operation %s', (operation) => {
    expect(meaningOf('x', { [OPERATION]: operation })).toMatchObject({ kind: 'other', isGenAi: true });
  });
});

describe('The meaning of a span', () => {
  const CHAT = { [OPERATION]: 'chat' };
  const USAGE = { 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.cost': 0.25 };

  it.each<[string, Record<string, unknown>, object]>([
    [
      'the model that answered',
      { 'gen_ai.request.model': 'gpt-5', 'gen_ai.response.model': 'gpt-5-2026' },
      { model: 'gpt-5-2026' },
    ],
    [
      'the model that was asked',
      { 'gen_ai.request.model': 'gpt-5', 'gen_ai.response.model': '' },
      { model: 'gpt-5' },
    ],
    ['the provider', { 'gen_ai.system': 'old', 'gen_ai.provider.name': 'new' }, { provider: 'new' }],
    ['its older name', { 'gen_ai.system': 'old' }, { provider: 'old' }],
    ['the conversation', { 'session.id': 's', 'gen_ai.conversation.id': 'c' }, { conversationId: 'c' }],
    ['the session', { 'session.id': 's' }, { conversationId: 's' }],
    ['the error', { 'error.type': 'timeout' }, { errorType: 'timeout' }],
    ['a cost', { 'gen_ai.usage.cost': 0.25 }, { costUsd: 0.25 }],
    [
      'a cost of ours first',
      { 'gen_ai.usage.cost': 1, 'agent_control_plane.cost_usd': '0.5' },
      { costUsd: 0.5 },
    ],
    ['no cost', { 'gen_ai.usage.cost': -1 }, { costUsd: null }],
    ['a long name, cut', { 'gen_ai.request.model': 'm'.repeat(64 * 1024) }, { model: 'm'.repeat(200) }],
    ['no model where it is no text', { 'gen_ai.request.model': { a: 1 } }, { model: null }],
  ])('has %s', (_, attributes, expected) => {
    expect(meaningOf('x', { ...CHAT, ...attributes })).toMatchObject(expected);
  });

  it.each(['invoke_agent', 'execute_tool', 'retrieval', 'unknown'])(
    'has neither tokens nor cost of %s, which are the sum of calls within it',
    (operation) => {
      expect(meaningOf('x', { [OPERATION]: operation, ...USAGE })).toMatchObject({
        tokens: null,
        costUsd: null,
      });
    },
  );

  it.each<[string, string, Record<string, unknown>, string | null]>([
    ['the conventions', 'x', { [OPERATION]: 'execute_tool', 'gen_ai.tool.name': 'search' }, 'search'],
    ['OpenInference', 'x', { [OPENINFERENCE]: 'TOOL', 'tool.name': 'search' }, 'search'],
    ['OpenLLMetry', 'x', { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'search' }, 'search'],
    ['Claude Code', 'claude_code.tool', { tool_name: 'Bash' }, 'Bash'],
    ['no tool', 'x', { [OPERATION]: 'chat', 'gen_ai.tool.name': 'search' }, null],
  ])('has the tool of %s', (_, name, attributes, tool) => {
    expect(meaningOf(name, attributes).tool).toBe(tool);
  });
});
