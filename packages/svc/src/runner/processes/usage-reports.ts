import type { MetricEntry } from '@agent-control-plane/client';
import type { EventListener } from '@agent-control-plane/client/runtime';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import type { DeploymentWork } from './deployment-work.js';
import { UsageSampler } from './usage-sampler.js';

export interface UsageReportsOptions {
  readonly metricsIntervalMs: number;
  readonly news: { metric(entry: MetricEntry): void };
  readonly onEvent: EventListener;
}

/** Sends what the processes of all deployments use, as metrics. */
export class UsageReports {
  private readonly sampler: UsageSampler;
  private timer: NodeJS.Timeout | undefined;
  private isEnded = false;

  constructor(
    private readonly deployments: ReadonlyMap<string, DeploymentWork>,
    private readonly options: UsageReportsOptions,
  ) {
    this.sampler = new UsageSampler(options.metricsIntervalMs);
  }

  begin(): void {
    this.timer = setTimeout(() => {
      void this.sample()
        .catch((error: unknown) =>
          this.options.onEvent({ level: 'warning', event: 'no_metrics', message: messageOf(error) }),
        )
        .finally(() => this.isEnded || this.begin());
    }, this.options.metricsIntervalMs);
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }

  private async sample(): Promise<void> {
    const running = [...this.deployments.values()].flatMap((deployment) => {
      const measured = deployment.measured();
      return measured ? [{ deployment, measured }] : [];
    });
    if (running.length === 0) return;
    const pids = new Map(running.map(({ deployment }) => [deployment.id, deployment.pids()]));
    const usages = await this.sampler.sample(pids);
    for (const { deployment, measured } of running) {
      const { cpu, memory, processes } = usages.get(deployment.id)!;
      this.options.news.metric({
        deployment_id: deployment.id,
        cpu_usage: cpu,
        memory_usage: memory,
        uptime_seconds: Math.round((performance.now() - measured.since) / 1_000),
        custom: { ...measured.custom, processes },
      });
    }
  }
}
