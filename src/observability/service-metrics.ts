import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** What this instance tells of itself to a system that watches it, in Prometheus' text format. */
@Injectable()
export class ServiceMetrics {
  private readonly registry = new Registry();
  private isWatchingProcess = false;

  /**
   * Adds gauges that are read together when somebody asks for them.
   *
   * @param help what each is, by its name, which begins with `control_plane_`
   * @param read their values; what it throws is the request's error
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
          // the registry asks all gauges in one go
          reading ??= read().finally(() => (reading = undefined));
          this.set((await reading)[name]);
        },
      });
    }
  }

  /** The text. Of the process itself nothing is measured before somebody has asked for the first time. */
  async read(): Promise<string> {
    if (!this.isWatchingProcess) collectDefaultMetrics({ register: this.registry });
    this.isWatchingProcess = true;
    return this.registry.metrics();
  }
}
