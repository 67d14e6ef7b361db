import {
  AggregationType,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import {
  ENCODINGS,
  exportLogs,
  metricExporter,
  recorded,
  startForgetfulProxy,
  withSpan,
} from './exporters.js';

let service: TestApp;
let person: Person;
let agent: TestAgent;
let endpoint: string;

beforeAll(async () => {
  service = await startTestApp();
  endpoint = `${service.url}/otlp`;
  person = await registerPerson(service);
});
beforeEach(async () => {
  agent = await createAgent(service, person);
});
afterAll(() => service.close());

/** Reads logs, oldest first. */
const storedLogs = async (): Promise<any[]> =>
  (await person.api.get(`/agents/${agent.id}/logs?limit=100`)).body.reverse();
const storedMetrics = async (): Promise<any[]> => (await person.api.get(`/agents/${agent.id}/metrics`)).body;

describe.each(ENCODINGS)('The official exporter, in %s and gzip', (encoding) => {
  it('delivers logs with level, message, time, attributes, scope and resource', async () => {
    const deploymentId = await deploy(person, agent);
    const timestamp = Date.now() - 60_000;
    const spanContext = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags: 1,
    };
    const [record, ...others] = recorded(
      {
        timestamp,
        severityNumber: 14,
        severityText: 'WARN2',
        body: 'The mailbox answers slowly',
        eventName: 'mailbox.slow',
        attributes: {
          took_ms: 2350,
          ratio: 0.5,
          tags: ['a', 'b'],
          deep: { is: true },
          raw: new Uint8Array([1, 2]),
        },
      },
      { timestamp: timestamp + 1, severityNumber: 1, body: { user: 'ada', tries: 3 } },
      { timestamp: timestamp + 2, severityNumber: 9, body: 'nul \0 here' },
      { timestamp: timestamp + 3, severityNumber: 20, body: 'e' },
      { timestamp: timestamp + 4, severityNumber: 24, body: 'f' },
      { timestamp: timestamp + 5, severityText: 'Error', body: 'g' },
      { timestamp: timestamp + 6, eventName: 'nothing.said' },
    );
    expect(
      await exportLogs(encoding, endpoint, agent.key, [withSpan(record!, spanContext), ...others]),
    ).toBeUndefined();

    const logs = await storedLogs();
    expect(logs.map(({ level, message: text }) => [level, text])).toEqual([
      ['warning', 'The mailbox answers slowly'],
      ['debug', '{"user":"ada","tries":3}'],
      ['info', 'nul \uFFFD here'],
      ['error', 'e'],
      ['critical', 'f'],
      ['error', 'g'],
      ['info', 'nothing.said'],
    ]);
    expect(logs[0]).toMatchObject({
      timestamp: new Date(timestamp).toISOString(),
      deployment_id: deploymentId,
      metadata: {
        attributes: { took_ms: 2350, ratio: 0.5, tags: ['a', 'b'], deep: { is: true }, raw: 'AQI=' },
        severity_text: 'WARN2',
        event_name: 'mailbox.slow',
        trace_id: spanContext.traceId,
        span_id: spanContext.spanId,
        scope: { name: 'orders', version: '1.2.3' },
        resource: { 'service.name': 'checkout', 'process.pid': 7 },
      },
    });
  });

  it('sends again after a lost reply, and its records are stored once', async () => {
    const proxy = await startForgetfulProxy(service.url);
    const records = recorded({ severityNumber: 9, body: 'once' }, { severityNumber: 9, body: 'only' });
    const error = await exportLogs(encoding, `${proxy.url}/otlp`, agent.key, records);
    proxy.close();
    expect([error, proxy.statuses]).toEqual([undefined, [200, 200]]);
    expect((await storedLogs()).map((log) => log.message)).toEqual(['once', 'only']);
  });

  it('reports that its key was refused', async () => {
    const error = await exportLogs(encoding, endpoint, 'sk_agent_nothing', recorded({ body: 'x' }));
    expect(error).toMatchObject({ code: 401 });
  });

  it('delivers gauges, sums and histograms, and those with known names as columns', async () => {
    const deploymentId = await deploy(person, agent);
    const reader = new PeriodicExportingMetricReader({
      exporter: metricExporter(encoding, endpoint, agent.key),
      exportIntervalMillis: 3_600_000,
      exportTimeoutMillis: 60_000,
    });
    const provider = new MeterProvider({
      readers: [reader],
      views: [
        {
          instrumentName: 'scaled',
          instrumentType: InstrumentType.HISTOGRAM,
          aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM },
        },
      ],
    });
    const meter = provider.getMeter('shop', '2.0.0');
    meter.createGauge('queue.length').record(7);
    meter.createCounter('orders').add(3, { kind: 'book', 'shop.id': 5 });
    meter.createUpDownCounter('process.memory.usage').add(48 * 1024 * 1024);
    const cpu = meter.createGauge('process.cpu.utilization');
    cpu.record(0.25, { 'cpu.mode': 'user' });
    cpu.record(0.05, { 'cpu.mode': 'system' });
    meter.createGauge('process.uptime').record(12.5);
    const duration = meter.createHistogram('http.server.request.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: [0.1, 1] },
    });
    duration.record(0.05, { 'http.route': '/a' });
    duration.record(3, { 'http.route': '/a', 'error.type': '500' });
    meter.createHistogram('scaled').record(2);
    await provider.forceFlush();
    await provider.shutdown();

    const [row, ...more] = await storedMetrics();
    expect(more.filter(({ custom }) => JSON.stringify(custom) !== JSON.stringify(row.custom))).toEqual([]);
    expect(row).toMatchObject({
      deployment_id: deploymentId,
      memory_usage: 48,
      uptime_seconds: 12.5,
      requests_processed: 2,
      errors_count: 1,
      custom: { scope: { name: 'shop', version: '2.0.0' } },
    });
    expect(row.cpu_usage).toBeCloseTo(30);
    const { metrics } = row.custom;
    expect(metrics['queue.length']).toBe(7);
    expect(metrics['orders_total{kind="book",shop.id="5"}']).toBe(3);
    expect(metrics['http.server.request.duration_seconds{http.route="/a"}']).toEqual({
      count: 1,
      sum: 0.05,
      min: 0.05,
      max: 0.05,
      bounds: [0.1, 1],
      counts: [1, 0, 0],
    });
    expect(metrics.scaled).toMatchObject({ count: 1, sum: 2, zero_count: 0, positive: { counts: [1] } });
  });
});
