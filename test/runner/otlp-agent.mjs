// A program for `svc run` that speaks OpenTelemetry, with nothing configured: the SDK reads its environment.
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

const resource = detectResources({ detectors: [envDetector] });
const tracing = new BasicTracerProvider({
  resource,
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
const tracer = tracing.getTracer('shop');
const provider = new LoggerProvider({
  resource,
  processors: [new SimpleLogRecordProcessor({ exporter: new OTLPLogExporter() })],
});
const logger = provider.getLogger('shop');
const say = (body) => logger.emit({ body, severityNumber: 9 });

process.on('SIGUSR2', () => say('told'));
process.on('SIGTERM', () => {
  say('ending');
  const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
  tracer.startSpan('last words', { attributes }).end();
  void Promise.all([provider.shutdown(), tracing.shutdown()]).then(() => process.exit(0));
});
say('begun');
process.stdout.write(`${JSON.stringify({ level: 'info', message: 'listening', pid: process.pid })}\n`);
setInterval(() => undefined, 60_000);
