import { describeProfile } from '../speed/profile.js';
import type { ProbeQuestion, ProcessUsage } from '../speed/probe.js';
import type { ServiceProcess } from './service-process.js';

const MEBIBYTE = 1024 * 1024;
/** Statements of a group commit and their items, and reads of caches, from the service's metrics. */
const COUNTED = /^(control_plane_group_size_(?:sum|count)|control_plane_cache_reads_total)(\{.*\}) (\d+)$/gm;

interface Sample {
  /** CPU time of the process; milliseconds. */
  readonly at: number;
  readonly usage: ProcessUsage;
  readonly counts: ReadonlyMap<string, number>;
}

/** Profiles one instance while the fleet works. The run's CPU and durations are then larger than without. */
export class FleetProfiler {
  private before: Promise<Sample> | undefined;
  private after: Promise<Sample> | undefined;

  /** @param to a file for the profile, which Chrome's developer tools open, and the port of the service's metrics */
  constructor(
    private readonly service: ServiceProcess,
    private readonly to: { readonly file: string; readonly metricsPort: number },
  ) {}

  begin(): void {
    this.before = this.sample({ probe: 'start profile' });
  }

  end(): void {
    this.after = this.sample({ probe: 'write profile', file: this.to.file });
  }

  /** The profile as text. */
  async report(): Promise<string> {
    const samples = await Promise.all([this.before, this.after]);
    if (!samples[0] || !samples[1]) return '';
    const [before, after] = samples.map((sample) => sample!.usage) as [ProcessUsage, ProcessUsage];
    const seconds = (samples[1].at - samples[0].at) / 1_000;
    const counted = [...samples[1].counts].map(
      ([name, count]) =>
        `  ${((count - (samples[0]!.counts.get(name) ?? 0)) / seconds).toFixed(1).padStart(8)} /s  ${name}`,
    );
    const collecting = (after.collectingMs - before.collectingMs) / (after.cpuMs - before.cpuMs);
    const allocated = (after.allocatedBytes - before.allocatedBytes) / MEBIBYTE;
    return [
      '',
      `Service       event loop late by ${after.lateMs.p99.toFixed(0)} ms (p99), ${after.lateMs.max.toFixed(0)} ms at most; ` +
        `${allocated.toFixed(0)} MiB allocated; garbage collection ${(collecting * 100).toFixed(1)} % of the CPU`,
      ...counted,
      `Where its time goes:`,
      await describeProfile(this.to.file),
      '',
    ].join('\n');
  }

  private async sample(question: ProbeQuestion): Promise<Sample> {
    const text = await fetch(`http://127.0.0.1:${this.to.metricsPort}/metrics`).then((response) =>
      response.text(),
    );
    const counts = new Map(
      [...text.matchAll(COUNTED)].map(([, name, labels, count]) => [`${name}${labels}`, Number(count)]),
    );
    return { at: performance.now(), usage: await this.service.ask(question), counts };
  }
}
