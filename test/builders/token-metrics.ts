/** Seconds before now, at which a program of the test begins. */
const BEGUN = 3_600;
/** Fixed, so that the same call makes the same export. */
const NOW = Date.now();
export const pointTime = (secondsAgo: number) => new Date(NOW - secondsAgo * 1_000);
const nanoseconds = (secondsAgo: number) => `${pointTime(secondsAgo).getTime()}000000`;

/** The total of a series at a time. */
export interface TokenPoint {
  readonly type?: string;
  readonly model?: string;
  readonly tokens: number;
  readonly calls: number;
  /** Seconds before now. */
  readonly at: number;
  readonly begun?: number;
}

/** An export of `gen_ai.client.token.usage`, whose values are the tokens of calls. @param temporality 1: delta, 2: cumulative */
export function tokenUsage(
  points: readonly TokenPoint[],
  temporality: 1 | 2 = 2,
  resource: Record<string, string> = {},
) {
  const attributes = (values: Record<string, string>) =>
    Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const dataPoints = points.map(({ type = 'input', model = 'gpt-4o', tokens, calls, at, begun = BEGUN }) => ({
    startTimeUnixNano: nanoseconds(begun),
    timeUnixNano: nanoseconds(at),
    count: `${calls}`,
    sum: tokens,
    attributes: attributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.token.type': type,
      'gen_ai.request.model': model,
    }),
  }));
  const metric = {
    name: 'gen_ai.client.token.usage',
    histogram: { aggregationTemporality: temporality, dataPoints },
  };
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributes(resource) },
        scopeMetrics: [{ scope: { name: 'test' }, metrics: [metric] }],
      },
    ],
  };
}
