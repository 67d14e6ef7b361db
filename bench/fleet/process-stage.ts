import { setTimeout as delay } from 'node:timers/promises';
import { ServiceProcess } from './service-process.js';
import type { Stage } from './stage.js';

export interface ProcessStageOptions {
  /** Path of the built `main.js`. */
  readonly main: string;
  readonly instances: number;
  /** Whether people have the first instance for themselves and agents use the others. */
  readonly apart: boolean;
  /** The services' settings; with `DATABASE_URL`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The services have the probe of `bench/speed`. */
  readonly isProbed?: boolean;
  readonly query: Stage['query'];
  readonly queryTelemetry?: Stage['queryTelemetry'];
}

/** Instances of the service as processes of their own, on one database. */
export class ProcessStage implements Stage {
  private constructor(
    private readonly options: ProcessStageOptions,
    readonly services: readonly ServiceProcess[],
  ) {}

  static async open(options: ProcessStageOptions): Promise<ProcessStage> {
    const services: ServiceProcess[] = [];
    const stage = new ProcessStage(options, services);
    try {
      for (let count = 0; count < options.instances; count++) {
        services.push(await ServiceProcess.start(options.main, options.environment, options.isProbed));
      }
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  get userUrl(): string {
    return this.services[0]!.url;
  }

  get agentUrls(): string[] {
    return this.agentServices().map(({ url }) => url);
  }

  get query(): Stage['query'] {
    return this.options.query;
  }

  get queryTelemetry(): Stage['queryTelemetry'] {
    return this.options.queryTelemetry;
  }

  restart = async (outageMs: number): Promise<void> => {
    const service = this.agentServices()[0]!;
    await service.kill();
    await delay(outageMs);
    await service.start();
  };

  shutDown = () => Promise.all(this.services.map((service) => service.stop()));

  async close(): Promise<void> {
    await this.shutDown();
  }

  /** Warnings that the instances logged, with their counts. */
  warnings(): Map<string, number> {
    const all = new Map<string, number>();
    for (const { warnings } of this.services) {
      for (const [text, count] of warnings) all.set(text, (all.get(text) ?? 0) + count);
    }
    return all;
  }

  private agentServices(): readonly ServiceProcess[] {
    return this.options.apart && this.services.length > 1 ? this.services.slice(1) : this.services;
  }
}
