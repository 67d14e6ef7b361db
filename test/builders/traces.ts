import { randomBytes } from 'node:crypto';
import type { TestAgent } from './agents.js';

/** A span to be exported. Times are milliseconds since 1970. */
export interface ExportedSpan {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly name?: string;
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** 2 is an error. */
  readonly status?: { readonly code: number; readonly message?: string };
  readonly flags?: number;
}

export const newTraceId = () => randomBytes(16).toString('hex');
export const newSpanId = () => randomBytes(8).toString('hex');

/** A call of a model, by OpenTelemetry's conventions. */
export function llmSpan(
  span: ExportedSpan & { readonly model?: string; readonly input?: number; readonly output?: number } = {},
): ExportedSpan {
  const { model = 'gpt-4o', input = 100, output = 10, attributes, ...rest } = span;
  return {
    name: `chat ${model}`,
    ...rest,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      ...attributes,
    },
  };
}

/** A call of a tool. */
export function toolSpan(span: ExportedSpan & { readonly tool?: string } = {}): ExportedSpan {
  const { tool = 'search', attributes, ...rest } = span;
  return {
    name: `execute_tool ${tool}`,
    ...rest,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool, ...attributes },
  };
}

/** An export as an exporter sends it in JSON. */
export function traceExport(
  spans: readonly ExportedSpan[],
  resource: Readonly<Record<string, string>> = {},
): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'test' }, spans: spans.map(spanOf) }],
      },
    ],
  };
}

/** Exports spans as the agent's program does, and expects that all are taken. */
export async function exportSpans(
  { runtime }: Pick<TestAgent, 'runtime'>,
  spans: readonly ExportedSpan[],
  resource: Readonly<Record<string, string>> = {},
): Promise<void> {
  const reply = await runtime.post('/otlp/v1/traces', traceExport(spans, resource));
  if (reply.status !== 200 || reply.body.partialSuccess)
    throw new Error(`The export answered ${reply.status}: ${JSON.stringify(reply.body)}`);
}

/** Calls a tool ten times within a run, with the same arguments and the same result. */
export async function exportLoop(agent: Pick<TestAgent, 'runtime'>, runId: string): Promise<void> {
  const attributes = { 'gen_ai.tool.call.arguments': '{"q":"sun"}', 'gen_ai.tool.call.result': 'nothing' };
  const spans = Array.from({ length: 10 }, () => toolSpan({ attributes }));
  await exportSpans(agent, spans, { 'agent_control_plane.run_id': runId });
}

function spanOf(span: ExportedSpan): object {
  const { startedAt = Date.now() - 1_000, durationMs = 500, attributes = {}, status, flags } = span;
  return {
    traceId: span.traceId ?? newTraceId(),
    spanId: span.spanId ?? newSpanId(),
    ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
    name: span.name ?? 'work',
    kind: 1,
    startTimeUnixNano: `${startedAt}000000`,
    endTimeUnixNano: `${startedAt + durationMs}000000`,
    attributes: attributesOf(attributes),
    ...(status && { status }),
    ...(flags !== undefined && { flags }),
  };
}

function attributesOf(attributes: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
}
