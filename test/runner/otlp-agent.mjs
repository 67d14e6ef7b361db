// A program for `svc run` that speaks OpenTelemetry, with nothing configured: the SDK reads its environment.
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';

const provider = new LoggerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  processors: [new SimpleLogRecordProcessor({ exporter: new OTLPLogExporter() })],
});
const logger = provider.getLogger('shop');
const say = (body) => logger.emit({ body, severityNumber: 9 });

process.on('SIGUSR2', () => say('told'));
process.on('SIGTERM', () => {
  say('ending');
  void provider.shutdown().then(() => process.exit(0));
});
say('begun');
process.stdout.write(`${JSON.stringify({ level: 'info', message: 'listening', pid: process.pid })}\n`);
setInterval(() => undefined, 60_000);
