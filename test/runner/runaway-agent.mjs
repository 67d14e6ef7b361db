// A program for `svc run` that calls a model again and again, and reports each call by OpenTelemetry with nothing
// configured.
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

const provider = new BasicTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
const tracer = provider.getTracer('runaway');
const work = tracer.startSpan('work', { attributes: { 'gen_ai.operation.name': 'invoke_agent' } });
const within = trace.setSpan(ROOT_CONTEXT, work);

let isEnding = false;
process.on('SIGTERM', () => (isEnding = true));
while (!isEnding) {
  const call = tracer.startSpan('chat small', {}, within);
  const reply = await fetch(process.env.MODEL_URL, { method: 'POST', body: String(process.pid) });
  const { input_tokens, output_tokens, cost_usd } = await reply.json();
  call.setAttributes({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'small',
    'gen_ai.usage.input_tokens': input_tokens,
    'gen_ai.usage.output_tokens': output_tokens,
    'agent_control_plane.cost_usd': cost_usd,
  });
  call.end();
}
work.end();
await provider.shutdown();
process.exitCode = 1;
