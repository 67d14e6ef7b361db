import pidusage from 'pidusage';
import { familyOf, listProcesses, type ProcessEntry } from './process-table.js';

const MIB = 1024 * 1024;

export interface Usage {
  /** Percent of one core. */
  readonly cpu: number;
  /** MiB of resident memory. */
  readonly memory: number;
  readonly processes: number;
}

/** Measures the usage of whole process trees. */
export class UsageSampler {
  /** @param intervalMs between two samples; the usage of this interval is measured */
  constructor(private readonly intervalMs: number) {}

  /** @param leaders for each name, the pids whose process trees are summed up */
  async sample(leaders: ReadonlyMap<string, readonly number[]>): Promise<Map<string, Usage>> {
    const processes = await listProcesses();
    const usages = new Map<string, Usage>();
    for (const [name, pids] of leaders) usages.set(name, await this.of(pids, processes));
    return usages;
  }

  private async of(leaders: readonly number[], processes: readonly ProcessEntry[]): Promise<Usage> {
    const pids = new Set(leaders.flatMap((leader) => familyOf(leader, processes)));
    const each = await Promise.all(
      // a process that ends in between has used nothing
      [...pids].map((pid) => pidusage(pid, { maxage: this.intervalMs * 3 }).catch(() => undefined)),
    );
    const present = each.filter((it) => it !== undefined);
    const sum = (of: (it: pidusage.Status) => number) => present.reduce((total, it) => total + of(it), 0);
    return {
      cpu: Math.max(0, Math.round(sum(({ cpu }) => cpu) * 10) / 10),
      memory: Math.round((sum(({ memory }) => memory) / MIB) * 10) / 10,
      processes: present.length,
    };
  }
}
