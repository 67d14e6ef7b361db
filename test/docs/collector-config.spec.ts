import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { readSettings } from '../../src/config/settings.js';
import { MAXIMUM_ENTRIES } from '../../src/telemetry/submission.js';

const page = await readFile('docs/opentelemetry.md', 'utf8');
const [, yaml = ''] = /^## Send through a Collector\n[^`]*```yaml\n(.*?)```/ms.exec(page) ?? [];
const config = load(yaml) as any;

describe("The Collector's configuration in docs/opentelemetry.md", () => {
  it('sends no more at a time than the service takes', () => {
    const { batch } = config.processors;
    const { batch: sent } = config.exporters.otlphttp.sending_queue;
    expect(batch.send_batch_max_size).toBeLessThanOrEqual(MAXIMUM_ENTRIES);
    expect(batch.send_batch_size).toBeLessThanOrEqual(batch.send_batch_max_size);
    expect(sent.sizer).toBe('bytes');
    expect(sent.max_size).toBeLessThan(readSettings({}).MAX_BODY_BYTES);
  });

  it("sends to the service's routes, with the key of the environment", () => {
    const { endpoint, headers, compression } = config.exporters.otlphttp;
    expect([endpoint, headers, compression]).toEqual([
      'http://127.0.0.1:8000/otlp',
      { Authorization: 'Bearer ${env:SERVICE_AGENT_KEY}' },
      'gzip',
    ]);
    for (const [signal, parts] of Object.entries<any>(config.service.pipelines)) {
      expect(['logs', 'metrics']).toContain(signal);
      for (const kind of ['receivers', 'processors', 'exporters'])
        for (const name of parts[kind]) expect(Object.keys(config[kind])).toContain(name);
    }
  });
});
