import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from './random.js';
import type { Recorder } from './recorder.js';
import type { Outcome, RuntimeClient } from './runtime-client.js';

/** Spans of a run: the root, and in turn a call of a model and one of a tool. */
export const SPANS_OF_A_RUN = 40;
const INPUT_TOKENS = 1_200;
const OUTPUT_TOKENS = 150;
const COST_USD = 0.0045;
const MICROS_OF_A_DOLLAR = 1_000_000;
const STEP_MS = 10;

/** Sums of the spans of one run, in the columns of the service. */
export const USED_BY_A_RUN = (() => {
  const llmCalls = Array.from({ length: SPANS_OF_A_RUN }, (_, index) => kindOf(index)).filter(
    (kind) => kind === 'llm',
  ).length;
  return {
    llm_calls: llmCalls,
    tool_calls: SPANS_OF_A_RUN - 1 - llmCalls,
    input_tokens: llmCalls * INPUT_TOKENS,
    output_tokens: llmCalls * OUTPUT_TOKENS,
    cost_micros: llmCalls * Math.round(COST_USD * MICROS_OF_A_DOLLAR),
  };
})();

export interface SpanSourceOptions {
  readonly agentId: string;
  readonly client: RuntimeClient;
  readonly recorder: Recorder;
  readonly random: Random;
  /** Share of the exports that are sent under an `Idempotency-Key`, as the relay of `svc run` does. */
  readonly keyedShare: number;
  /** Milliseconds since 1970, by the agent's own clock. */
  readonly clock: () => number;
  readonly ended: AbortSignal;
}

/** The spans of one agent's runs, of which each run has one export. */
export class SpanSource {
  /** Whether each run's export was answered with 200, so that its spans are there; else it is unknown. */
  readonly exports = new Map<string, boolean>();

  constructor(private readonly options: SpanSourceOptions) {}

  /** Resolves when the export was answered. It is repeated until then, and its spans count once all the same. */
  async export(runId: string): Promise<void> {
    const { agentId, client, recorder, random, keyedShare, clock, ended } = this.options;
    const body = exportOf(runId, clock());
    const key = random.chance(keyedShare) ? randomUUID() : undefined;
    const request = { method: 'POST' as const, path: '/otlp/v1/traces', body };
    const attempt = async () => {
      const outcome = await client.call('traces', request, 0, key);
      const isStored = outcome.kind === 'answered' || outcome.kind === 'lost';
      if (isStored && outcome.body.partialSuccess)
        recorder.violated('spans were not taken', `${agentId}: ${JSON.stringify(outcome.body)}`);
      if (mayBeStored(outcome)) this.exports.set(runId, isStored || this.exports.get(runId) === true);
      return outcome;
    };
    await client.persist('traces', attempt, ended);
  }
}

function mayBeStored({ kind }: Outcome): boolean {
  return kind !== 'refused' && kind !== 'unsent' && kind !== 'busy';
}

function kindOf(index: number): 'agent' | 'llm' | 'tool' {
  if (index === 0) return 'agent';
  return index % 2 === 1 ? 'llm' : 'tool';
}

/** An export in JSON, as OTLP has it. @param endedAt milliseconds since 1970 */
function exportOf(runId: string, endedAt: number): object {
  const traceId = randomBytes(16).toString('hex');
  const ids = Array.from({ length: SPANS_OF_A_RUN }, () => randomBytes(8).toString('hex'));
  const beginsAt = endedAt - SPANS_OF_A_RUN * STEP_MS;
  const spans = ids.map((spanId, index) => ({
    traceId,
    spanId,
    ...(index > 0 && { parentSpanId: ids[0] }),
    name: `${kindOf(index)} ${index}`,
    startTimeUnixNano: `${beginsAt + index * STEP_MS}000000`,
    endTimeUnixNano: `${index === 0 ? endedAt : beginsAt + (index + 1) * STEP_MS}000000`,
    attributes: keyValues(attributesOf(index)),
  }));
  const resource = { attributes: keyValues({ 'agent_control_plane.run_id': runId }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'simulator' }, spans }] }] };
}

function attributesOf(index: number): Readonly<Record<string, string | number>> {
  switch (kindOf(index)) {
    case 'agent':
      return { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'simulated' };
    case 'tool':
      return {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'search',
        'gen_ai.tool.call.id': `call_${index}`,
        'gen_ai.tool.call.arguments': `{"page": ${index}}`,
      };
    case 'llm':
      return {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'simulator',
        'gen_ai.request.model': 'simulated-small',
        'gen_ai.response.id': `reply_${index}`,
        'gen_ai.usage.input_tokens': INPUT_TOKENS,
        'gen_ai.usage.output_tokens': OUTPUT_TOKENS,
        'agent_control_plane.cost_usd': COST_USD,
      };
  }
}

function keyValues(attributes: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number): object {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
