import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  type ReadableLogRecord,
  SimpleLogRecordProcessor,
} from '@opentelemetry/sdk-logs';

export type Encoding = 'json' | 'protobuf';
export const ENCODINGS: Encoding[] = ['json', 'protobuf'];

type LogRecord = Parameters<ReturnType<LoggerProvider['getLogger']>['emit']>[0];

const RESOURCE = resourceFromAttributes({ 'service.name': 'checkout', 'process.pid': 7 });

/** The environment of a program in docs/opentelemetry.md. */
function configure(endpoint: string, key: string): void {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  process.env.OTEL_EXPORTER_OTLP_HEADERS = `Authorization=Bearer%20${key}`;
  process.env.OTEL_EXPORTER_OTLP_COMPRESSION = 'gzip';
}

/** Records in the form of the SDK. */
export function recorded(...records: readonly LogRecord[]): ReadableLogRecord[] {
  const exporter = new InMemoryLogRecordExporter();
  const provider = new LoggerProvider({
    resource: RESOURCE,
    processors: [new SimpleLogRecordProcessor({ exporter })],
  });
  const logger = provider.getLogger('orders', '1.2.3');
  for (const record of records) logger.emit(record);
  return exporter.getFinishedLogRecords();
}

/** A record within a span, copied, because an emitted record can't be changed. */
export function withSpan(
  record: ReadableLogRecord,
  spanContext: ReadableLogRecord['spanContext'],
): ReadableLogRecord {
  return Object.defineProperty(record, 'spanContext', { value: spanContext });
}

/** Sends records with the official exporter. @returns the reported error; undefined after a success */
export async function exportLogs(
  encoding: Encoding,
  endpoint: string,
  key: string,
  records: ReadableLogRecord[],
): Promise<Error | undefined> {
  configure(endpoint, key);
  const exporter = encoding === 'json' ? new JsonLogs() : new ProtobufLogs();
  const result = await new Promise<{ error?: Error }>((resolve) => exporter.export(records, resolve));
  await exporter.shutdown();
  return result.error;
}

export function metricExporter(encoding: Encoding, endpoint: string, key: string) {
  configure(endpoint, key);
  return encoding === 'json' ? new JsonMetrics() : new ProtobufMetrics();
}

/** A proxy that forwards the first request and loses its reply: the exporter has to send it again. */
export async function startForgetfulProxy(target: string) {
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(
        ['authorization', 'content-type', 'content-encoding'].map((name) => [
          name,
          String(request.headers[name]),
        ]),
      );
      void fetch(`${target}${request.url}`, { method: 'POST', headers, body: Buffer.concat(chunks) }).then(
        async (reply) => {
          statuses.push(reply.status);
          const body = Buffer.from(await reply.arrayBuffer());
          const type = reply.headers.get('content-type') ?? '';
          if (statuses.length === 1) response.writeHead(503, { 'Retry-After': '1' }).end();
          else response.writeHead(reply.status, { 'Content-Type': type }).end(body);
        },
      );
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Replies of the service, in order. */
    statuses,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
