import { type EndedSpan, otlpSpanOf, traceRequestOf } from './otlp-span.js';
import { RunSpans } from './run-spans.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

function recorded(traceparent: string | null = TRACEPARENT) {
  const ended: EndedSpan[] = [];
  const spans = new RunSpans(traceparent, { 'gen_ai.conversation.id': 'c' }, (span) => ended.push(span));
  const find = (name: string) => ended.find((span) => span.name === name)!;
  return { spans, ended, find };
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 1));

describe('A span of a run', () => {
  it('is a child of the span that requested the run, in its trace, with the kind of the conventions', async () => {
    const { spans, ended } = recorded();
    const result = await spans.within('plan', 'agent', {}, async () => {
      await rest();
      return 7;
    });
    expect([result, ended]).toEqual([
      7,
      [
        {
          traceId: TRACE,
          spanId: expect.stringMatching(/^[\da-f]{16}$/),
          parentSpanId: PARENT,
          isParentRemote: true,
          name: 'plan',
          startedAt: expect.any(Number),
          durationMs: expect.any(Number),
          attributes: {
            'gen_ai.operation.name': 'invoke_agent',
            'agent_control_plane.span_kind': 'agent',
            'gen_ai.conversation.id': 'c',
          },
          failure: undefined,
        },
      ],
    ]);
    expect(ended[0]!.durationMs).toBeGreaterThan(0);
  });

  it('has the spans that begin within it as children, also where several go on at once', async () => {
    const { spans, ended, find } = recorded();
    await spans.within('all', 'agent', {}, () =>
      Promise.all(
        ['a', 'b'].map((name) =>
          spans.within(name, 'other', {}, async () => {
            await rest();
            await spans.tool(`${name}1`, {}, () => rest());
          }),
        ),
      ),
    );
    await spans.within('next', 'other', {}, () => undefined);
    expect(ended).toHaveLength(6);
    for (const name of ['a', 'b']) {
      expect(find(name)).toMatchObject({ parentSpanId: find('all').spanId, isParentRemote: false });
      expect(find(`execute_tool ${name}1`).parentSpanId).toBe(find(name).spanId);
    }
    expect(find('next').parentSpanId).toBe(PARENT);
  });

  it('has no parent from another run', async () => {
    const [one, other] = [recorded(), recorded(null)];
    await one.spans.within('one', 'agent', {}, () =>
      other.spans.within('other', 'agent', {}, () => expect(one.spans.current).toBeUndefined()),
    );
    expect(other.ended[0]).toMatchObject({ parentSpanId: undefined, isParentRemote: false });
    expect(other.ended[0]!.traceId).toMatch(/^[\da-f]{32}$/);
    expect(other.ended[0]!.traceId).not.toBe(TRACE);
  });

  it('fails with the function, and throws its error', async () => {
    const { spans, ended } = recorded();
    const error = new RangeError('too far');
    await expect(
      spans.within('walk', 'other', {}, () => {
        throw error;
      }),
    ).rejects.toBe(error);
    await expect(spans.tool('walk', {}, () => Promise.reject(error))).rejects.toBe(error);
    for (const span of ended)
      expect(span).toMatchObject({ failure: 'too far', attributes: { 'error.type': 'RangeError' } });
  });
});

describe('A tool', () => {
  it('is called with its arguments, which its span contains with the result', async () => {
    const { spans, ended } = recorded();
    expect(await spans.tool('add', { a: 1, b: 2 }, ({ a, b }) => a + b)).toBe(3);
    expect(ended[0]).toMatchObject({
      name: 'execute_tool add',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'add',
        'gen_ai.tool.call.arguments': '{"a":1,"b":2}',
        'gen_ai.tool.call.result': '3',
      },
    });
  });

  it('may have arguments that are long, which stay different, and some that are no JSON', async () => {
    const { spans, ended } = recorded();
    for (const end of ['1', '2', '1']) await spans.tool('long', 'x'.repeat(20_000) + end, () => undefined);
    const [first, second, third] = ended.map(({ attributes }) => attributes['gen_ai.tool.call.arguments']);
    expect(String(first).length).toBeLessThan(17_000);
    expect([first === second, first === third]).toEqual([false, true]);
    await spans.tool('odd', 1n, () => 1n);
    expect(ended[3]!.attributes).toMatchObject({ 'gen_ai.tool.call.arguments': undefined });
  });
});

describe('A call of a model', () => {
  const USAGE = {
    inputTokens: 10,
    cacheReadTokens: 5,
    cacheWriteTokens: 3,
    outputTokens: 7,
    reasoningTokens: 2,
  };
  const ATTRIBUTES = {
    'gen_ai.request.model': 'm',
    'gen_ai.provider.name': 'p',
    'gen_ai.usage.input_tokens': 18,
    'gen_ai.usage.cache_read.input_tokens': 5,
    'gen_ai.usage.cache_write.input_tokens': 3,
    'gen_ai.usage.output_tokens': 7,
    'gen_ai.usage.reasoning.output_tokens': 2,
    'agent_control_plane.cost_usd': 0.25,
  };
  const CALL = { model: 'm', provider: 'p', usage: USAGE, costUsd: 0.25 };

  it('is a span of its own, whose input has the cached tokens in it', async () => {
    const { spans, ended, find } = recorded();
    spans.llm(CALL);
    await spans.within('plan', 'agent', {}, () => spans.llm({ model: 'm' }));
    expect(ended[0]).toMatchObject({ name: 'chat m', attributes: ATTRIBUTES, parentSpanId: PARENT });
    expect(ended[1]!.parentSpanId).toBe(find('plan').spanId);
    expect(Object.keys(ended[1]!.attributes)).not.toContain('gen_ai.usage.input_tokens');
  });

  it('has the messages and the answer that are given with it', () => {
    const { spans, ended } = recorded();
    spans.llm({ model: 'm', input: [{ role: 'user', content: 'Hello?' }], output: 'Hello.' });
    expect(ended[0]!.attributes).toMatchObject({
      'gen_ai.input.messages': '[{"role":"user","content":"Hello?"}]',
      'gen_ai.output.messages': '"Hello."',
    });
    spans.llm({ model: 'm' });
    expect(Object.keys(ended[1]!.attributes).filter((name) => name.endsWith('.messages'))).toEqual([]);
  });

  it('is the span of a model that is open, so that none counts twice', async () => {
    const { spans, ended } = recorded();
    await spans.within('ask', 'llm', {}, () => {
      spans.llm(CALL);
      spans.llm({ model: 'second' });
    });
    expect(ended.map(({ name }) => name)).toEqual(['chat second', 'ask']);
    expect(ended[1]!.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', ...ATTRIBUTES });
  });
});

describe('A span in JSON', () => {
  it('has the form of OTLP', () => {
    const span: EndedSpan = {
      traceId: TRACE,
      spanId: '00f067aa0ba902b7',
      parentSpanId: PARENT,
      isParentRemote: true,
      name: 'n',
      startedAt: 1_700_000_000_000,
      durationMs: 1.5,
      attributes: { text: 't', whole: 3, part: 0.5, none: undefined, odd: NaN },
      failure: 'broken',
    };
    expect(JSON.parse(traceRequestOf([JSON.stringify(otlpSpanOf(span))]))).toEqual({
      resourceSpans: [
        {
          scopeSpans: [
            {
              scope: { name: 'agent-control-plane' },
              spans: [
                {
                  traceId: TRACE,
                  spanId: '00f067aa0ba902b7',
                  parentSpanId: PARENT,
                  flags: 0x301,
                  name: 'n',
                  kind: 1,
                  startTimeUnixNano: '1700000000000000000',
                  endTimeUnixNano: '1700000000001500000',
                  attributes: [
                    { key: 'text', value: { stringValue: 't' } },
                    { key: 'whole', value: { intValue: '3' } },
                    { key: 'part', value: { doubleValue: 0.5 } },
                  ],
                  status: { code: 2, message: 'broken' },
                },
              ],
            },
          ],
        },
      ],
    });
    const root = otlpSpanOf({ ...span, parentSpanId: undefined, isParentRemote: false, failure: undefined });
    expect(root).toMatchObject({ flags: 0x101 });
    expect(Object.keys(root)).not.toEqual(expect.arrayContaining(['parentSpanId', 'status']));
  });
});
