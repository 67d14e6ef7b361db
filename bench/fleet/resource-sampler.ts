import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What one group of processes used. */
export interface Usage {
  /** Cores on average: 0.5 is half of one. */
  readonly cores: number;
  readonly firstMemory: number;
  /** Bytes, at the most. */
  readonly peakMemory: number;
}

export interface Usages {
  readonly groups: ReadonlyMap<string, Usage>;
  /** Cores in use by anybody on this machine, and how many there are. */
  readonly busyCores: number;
  readonly cores: number;
}

interface Group {
  /** Processes that belong to it now. */
  readonly pids: () => readonly number[];
  /** Seconds of CPU of each process when it was last seen; those that have ended keep theirs. */
  readonly seconds: Map<number, number>;
  baseline: number;
  firstMemory: number;
  peakMemory: number;
}

const EVERY_MS = 1_000;
/** `sysconf(_SC_CLK_TCK)` and the page size are the same on every Linux that Node runs on, but for some ARM kernels. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4_096;

/** Reads memory and CPU of processes from `/proc`; without it (not Linux) all is zero. */
export class ResourceSampler {
  private readonly groups = new Map<string, Group>();
  private timer: NodeJS.Timeout | undefined;
  private begunAt = 0;
  private machineAt = { busy: 0, total: 0 };

  add(name: string, pids: () => readonly number[]): void {
    this.groups.set(name, { pids, seconds: new Map(), baseline: 0, firstMemory: 0, peakMemory: 0 });
  }

  /** Begins, or begins anew: CPU counts from here, memory since the very first sample. */
  begin(): void {
    clearInterval(this.timer);
    this.sample();
    this.begunAt = performance.now();
    this.machineAt = machineTimes();
    for (const group of this.groups.values()) group.baseline = total(group.seconds);
    this.timer = setInterval(() => this.sample(), EVERY_MS);
    this.timer.unref();
  }

  read(): Usages {
    this.sample();
    const elapsed = (performance.now() - this.begunAt) / 1_000;
    const now = machineTimes();
    const share = (now.busy - this.machineAt.busy) / Math.max(1, now.total - this.machineAt.total);
    const groups = [...this.groups].map(([name, { seconds, baseline, firstMemory, peakMemory }]) => {
      return [name, { cores: (total(seconds) - baseline) / elapsed, firstMemory, peakMemory }] as const;
    });
    return { groups: new Map(groups), busyCores: share * cpus().length, cores: cpus().length };
  }

  end(): void {
    clearInterval(this.timer);
  }

  private sample(): void {
    for (const group of this.groups.values()) {
      let memory = 0;
      for (const pid of group.pids()) {
        const stat = statOf(pid);
        if (!stat) continue;
        // One that has replaced another counts beside it.
        group.seconds.set(pid, stat.seconds);
        memory += stat.memory;
      }
      group.firstMemory ||= memory;
      group.peakMemory = Math.max(group.peakMemory, memory);
    }
  }
}

/** The server process of PostgreSQL and its children, by one of its backends; none where it runs elsewhere. */
export function postgresPids(backend: number): () => readonly number[] {
  const server = statOf(backend)?.name === 'postgres' ? statOf(backend)!.parent : 0;
  if (server <= 1) return () => [];
  return () => [
    server,
    ...readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && statOf(pid)?.parent === server),
  ];
}

/** `proc_pid_stat(5)`. Of ended children their parent counts the time. */
function statOf(pid: number) {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  const nameEnd = text.lastIndexOf(')');
  // From field 3 on; the name before may hold anything.
  const fields = text.slice(nameEnd + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    parent: field(4),
    seconds: (field(14) + field(15)) / TICKS_PER_SECOND,
    memory: field(24) * PAGE_BYTES,
  };
}

function total(seconds: ReadonlyMap<number, number>): number {
  return [...seconds.values()].reduce((sum, one) => sum + one, 0);
}

function machineTimes(): { busy: number; total: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq + times.idle;
    busy += sum - times.idle;
    all += sum;
  }
  return { busy, total: all };
}
