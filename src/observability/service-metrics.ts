import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { instruments } from './instruments.js';

/** Content type of the metrics' text. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Gauges of prom-client whose names end like a counter's. Each is the sum of another gauge, which stays. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** One value of a gauge, or one for each set of labels. */
export type GaugeValue =
  number | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

/** Metrics of this instance in Prometheus' text format. */
@Injectable()
export class ServiceMetrics {
  private readonly gauges = new Registry();
  private isWatchingProcess = false;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /**
   * Adds gauges of the whole fleet. Only instances with the role `monitor` have them: with 200,000 agents one read
   * costs PostgreSQL 0.2 s of a core, and each instance would cause one at each scrape.
   */
  addFleetGauges(...gauges: Parameters<ServiceMetrics['addGauges']>): void {
    if (this.settings.ROLES.includes('monitor')) this.addGauges(...gauges);
  }

  /**
   * Adds gauges that are read together at each scrape.
   *
   * @param help the description of each gauge by its name, which begins with `control_plane_`
   * @param read returns their values; while it fails, these gauges have none, and the others are unaffected
   */
  addGauges<Name extends string>(
    help: Readonly<Record<Name, string>>,
    read: () => Promise<Readonly<Record<Name, GaugeValue>>> | Readonly<Record<Name, GaugeValue>>,
    labelNames: readonly string[] = [],
  ): void {
    let reading: Promise<Readonly<Record<Name, GaugeValue>>> | undefined;
    for (const name of Object.keys(help) as Name[]) {
      new Gauge({
        name,
        help: help[name],
        labelNames,
        registers: [this.gauges],
        async collect() {
          // the registry reads all gauges at the same time, so they share one read
          reading ??= Promise.resolve(read()).finally(() => (reading = undefined));
          const value = await reading.then(
            (values): GaugeValue => values[name],
            () => undefined,
          );
          // a set of labels that no longer exists must not keep its last value
          this.reset();
          if (typeof value === 'number') this.set(value);
          // `reset` has set a gauge without labels to zero
          else if (value === undefined && labelNames.length === 0) this.remove();
          else for (const one of value ?? []) this.set(one.labels, one.value);
        },
      });
    }
  }

  /** The metrics as text. The process's own metrics are collected from the first scrape on. */
  async read(): Promise<string> {
    if (!this.isWatchingProcess) {
      collectDefaultMetrics({ register: this.gauges });
      for (const name of MISNAMED) this.gauges.removeSingleMetric(name);
    }
    this.isWatchingProcess = true;
    const texts = await Promise.all([this.gauges.metrics(), instruments.metrics()]);
    return texts.join('');
  }
}
