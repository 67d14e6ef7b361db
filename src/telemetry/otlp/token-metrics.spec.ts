import { fromJson } from '@bufbuild/protobuf';
import { ExportMetricsServiceRequestSchema } from './generated/otlp_pb.js';
import { readUsagePoints, UsageSums } from './token-metrics.js';

const RECEIVED_AT = new Date('2026-11-26T12:00:00Z');
const TIME = '1795694400000000000';
const START = '1795690800000000000';

const attributesOf = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

const CHAT = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-5',
};

const pointOf = (attributes: Record<string, string>, fields: object) => ({
  timeUnixNano: TIME,
  startTimeUnixNano: START,
  attributes: attributesOf(attributes),
  ...fields,
});

const sum = (name: string, value: number, attributes: Record<string, string> = CHAT, temporality = 2) => ({
  name,
  sum: {
    aggregationTemporality: temporality,
    isMonotonic: true,
    dataPoints: [pointOf(attributes, { asDouble: value })],
  },
});

const histogram = (name: string, total: number, count: number, attributes: Record<string, string>) => ({
  name,
  histogram: {
    aggregationTemporality: 2,
    dataPoints: [pointOf(attributes, { sum: total, count: `${count}` })],
  },
});

const readOf = (metrics: readonly object[], resource: Record<string, string> = {}, scope = 'lib') =>
  readUsagePoints(
    fromJson(
      ExportMetricsServiceRequestSchema,
      {
        resourceMetrics: [
          {
            resource: { attributes: attributesOf(resource) },
            scopeMetrics: [{ scope: { name: scope }, metrics: metrics as any }],
          },
        ],
      },
      { ignoreUnknownFields: true },
    ),
    RECEIVED_AT,
  );

const bucketsOf = (metrics: readonly object[]) => {
  const sums = new UsageSums();
  for (const point of readOf(metrics)) sums.add(point, point.value);
  const buckets = [
    'inputTokens',
    'cacheReadTokens',
    'cacheWriteTokens',
    'outputTokens',
    'reasoningTokens',
    'llmCalls',
    'costUsd',
  ] as const;
  return Object.fromEntries(buckets.map((bucket) => [bucket, sums.of(bucket)]).filter(([, value]) => value));
};

const USAGE = 'gen_ai.client.inference.usage.';
const OLD = 'gen_ai.client.token.usage';
const oldUsage = (type: string, total: number, count: number) =>
  histogram(OLD, total, count, { ...CHAT, 'gen_ai.token.type': type });
const claude = (type: string, value: number) =>
  sum('claude_code.token.usage', value, { type, model: 'claude-haiku-4-5', 'session.id': 's' }, 1);

describe('Points of metrics that tell usage', () => {
  it.each<[string, readonly object[], Record<string, number>]>([
    [
      'the histogram of tokens',
      [oldUsage('input', 900, 3), oldUsage('output', 90, 3)],
      {
        inputTokens: 900,
        outputTokens: 90,
        llmCalls: 3,
      },
    ],
    ['the older name of the output', [oldUsage('completion', 90, 3)], { outputTokens: 90 }],
    [
      'the counters, of which cached tokens are within the input',
      [
        sum(`${USAGE}input_tokens`, 1_000),
        sum(`${USAGE}output_tokens`, 200),
        sum(`${USAGE}cache_read.input_tokens`, 700),
        sum(`${USAGE}cache_write.input_tokens`, 100),
        sum(`${USAGE}reasoning.output_tokens`, 50),
      ],
      {
        inputTokens: 200,
        cacheReadTokens: 700,
        cacheWriteTokens: 100,
        outputTokens: 200,
        reasoningTokens: 50,
      },
    ],
    [
      'counters whose input is without cached tokens',
      [sum(`${USAGE}input_tokens`, 10), sum(`${USAGE}cache_read.input_tokens`, 700)],
      { inputTokens: 10, cacheReadTokens: 700 },
    ],
    [
      'both families, once',
      [
        oldUsage('input', 900, 3),
        sum(`${USAGE}input_tokens`, 900),
        histogram('gen_ai.client.inference.duration', 12.5, 3, CHAT),
      ],
      { inputTokens: 900, llmCalls: 3 },
    ],
    [
      'the old tokens with the new duration, whose calls count once',
      [oldUsage('input', 900, 3), histogram('gen_ai.client.inference.duration', 12.5, 3, CHAT)],
      { inputTokens: 900, llmCalls: 3 },
    ],
    [
      'embeddings',
      [
        histogram('gen_ai.client.embeddings.operation.input_tokens', 64, 2, {
          ...CHAT,
          'gen_ai.operation.name': 'embeddings',
        }),
      ],
      { inputTokens: 64, llmCalls: 2 },
    ],
    [
      'Claude Code, whose input is without cached tokens',
      [
        claude('input', 1_000),
        claude('output', 1_002),
        claude('cacheRead', 800),
        claude('cacheCreation', 100),
        sum('claude_code.cost.usage', 0.0568, { model: 'claude-haiku-4-5' }, 1),
      ],
      {
        inputTokens: 1_000,
        outputTokens: 1_002,
        cacheReadTokens: 800,
        cacheWriteTokens: 100,
        costUsd: 0.0568,
      },
    ],
    [
      'nothing of an agent, which tells the sum of its calls',
      [
        histogram(OLD, 900, 3, {
          ...CHAT,
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.token.type': 'input',
        }),
      ],
      {},
    ],
    [
      'nothing of the distribution for each operation',
      [histogram('gen_ai.client.inference.operation.input_tokens', 900, 3, CHAT)],
      {},
    ],
    [
      'nothing of a gauge',
      [{ name: 'claude_code.cost.usage', gauge: { dataPoints: [{ asDouble: 3 }] } }],
      {},
    ],
    ['nothing of unknown types', [claude('thinking', 5)], {}],
    [
      'nothing of impossible values',
      [sum(`${USAGE}input_tokens`, -5), sum('claude_code.cost.usage', Number.MAX_VALUE * 2, {})].map(
        (metric) => JSON.parse(JSON.stringify(metric).replace('null', '"Infinity"')),
      ),
      {},
    ],
  ])('are read from %s', (_, metrics, expected) => {
    expect(bucketsOf(metrics)).toEqual(expected);
  });

  it('have model, provider, times, and the ids of the resource', () => {
    const ids = { 'agent_control_plane.run_id': 'RUN', 'agent_control_plane.deployment_id': 'D' };
    expect(readOf([sum(`${USAGE}input_tokens`, 5)], ids)).toEqual([
      {
        deploymentId: 'd',
        runId: 'run',
        model: 'gpt-5',
        provider: 'openai',
        timestamp: new Date('2026-11-26T12:00:00Z'),
        startTime: new Date('2026-11-26T11:00:00Z'),
        series: expect.stringMatching(/^[\da-f]{32}$/),
        bucket: 'inputTokens',
        isWithinInput: false,
        isDelta: false,
        value: 5,
      },
    ]);
    expect(readOf([claude('input', 7)])).toMatchObject([
      { model: 'claude-haiku-4-5', provider: 'anthropic', isDelta: true },
    ]);
  });

  const seriesOf = (...read: Parameters<typeof readOf>) => readOf(...read).map(({ series }) => series);
  const one = sum(`${USAGE}input_tokens`, 5);

  it('have the same series for any order of the attributes', () => {
    const reversed = sum(`${USAGE}input_tokens`, 9, Object.fromEntries(Object.entries(CHAT).reverse()));
    expect(seriesOf([reversed], { a: '1', b: '2' })).toEqual(seriesOf([one], { b: '2', a: '1' }));
  });

  it.each<[string, string[]]>([
    ['another process', seriesOf([one], { 'service.instance.id': '2' })],
    ['another library', seriesOf([one], {}, 'other')],
    ['another metric', seriesOf([sum(`${USAGE}output_tokens`, 5)])],
    [
      'other attributes',
      seriesOf([sum(`${USAGE}input_tokens`, 5, { ...CHAT, 'gen_ai.token.modality': 'image' })]),
    ],
  ])('have another series for %s', (_, series) => {
    expect(series).not.toEqual(seriesOf([one]));
  });

  it('have a series for each bucket of one distribution', () => {
    const series = seriesOf([oldUsage('input', 900, 3)]);
    expect(new Set(series).size).toBe(2);
  });
});
