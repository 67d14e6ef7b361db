import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Metrics of this instance in Prometheus' text format. */
@Injectable()
export class ServiceMetrics {
  private readonly registry = new Registry();
  private isWatchingProcess = false;

  /**
   * Adds gauges that are read together at each scrape.
   *
   * @param help the description of each gauge by its name, which begins with `control_plane_`
   * @param read returns their values; what it throws becomes the error of the request
   */
  addGauges<Name extends string>(
    help: Readonly<Record<Name, string>>,
    read: () => Promise<Readonly<Record<Name, number>>>,
  ): void {
    let reading: Promise<Readonly<Record<Name, number>>> | undefined;
    for (const name of Object.keys(help) as Name[]) {
      new Gauge({
        name,
        help: help[name],
        registers: [this.registry],
        async collect() {
          // the registry reads all gauges at the same time, so they share one read
          reading ??= read().finally(() => (reading = undefined));
          this.set((await reading)[name]);
        },
      });
    }
  }

  /** The metrics as text. Measuring the process itself begins with the first scrape. */
  async read(): Promise<string> {
    if (!this.isWatchingProcess) collectDefaultMetrics({ register: this.registry });
    this.isWatchingProcess = true;
    return this.registry.metrics();
  }
}
