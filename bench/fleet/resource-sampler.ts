import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Resources used by one group of processes. */
export interface Usage {
  /** Cores on average: 0.5 is half of one. */
  readonly cores: number;
  readonly firstMemory: number;
  /** Bytes, at the most. */
  readonly peakMemory: number;
}

export interface Usages {
  /** Time over which CPU was measured; milliseconds. */
  readonly elapsedMs: number;
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

  /** Begins, or begins again: CPU counts from here, memory since the very first sample. */
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
    return {
      elapsedMs: elapsed * 1_000,
      groups: new Map(groups),
      busyCores: share * cpus().length,
      cores: cpus().length,
    };
  }

  end(): void {
    clearInterval(this.timer);
  }

  private sample(): void {
    for (const group of this.groups.values()) {
      let [own, shared] = [0, 0];
      for (const pid of group.pids()) {
        const stat = statOf(pid);
        const memory = stat && memoryOf(pid);
        if (!memory) continue;
        // A process that has replaced another one counts in addition.
        group.seconds.set(pid, stat.seconds);
        own += memory.own;
        shared = Math.max(shared, memory.shared);
      }
      const memory = own + shared;
      group.firstMemory ||= memory;
      group.peakMemory = Math.max(group.peakMemory, memory);
    }
  }
}

/** The server process of PostgreSQL and its children, by one of its backends; none where it runs elsewhere. */
export function postgresPids(backend: number): () => readonly number[] {
  const server = statOf(backend)?.name === 'postgres' ? statOf(backend)!.parent : 0;
  if (server <= 1) return () => [];
  return () => [server, ...childrenOf(server)];
}

function childrenOf(pid: number): number[] {
  const list = read(`/proc/${pid}/task/${pid}/children`);
  if (list !== undefined) return list.split(' ').flatMap((text) => Number(text) || []);
  // a kernel without that list: all processes of the machine have to be looked at
  return readdirSync('/proc')
    .map(Number)
    .filter((other) => other > 0 && statOf(other)?.parent === pid);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** `proc_pid_stat(5)`. Of ended children their parent counts the time. */
function statOf(pid: number) {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const nameEnd = text.lastIndexOf(')');
  // Fields from the third one on. The name before them may hold any character.
  const fields = text.slice(nameEnd + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    parent: field(4),
    seconds: (field(14) + field(15)) / TICKS_PER_SECOND,
  };
}

/** `proc_pid_statm(5)`, in bytes. PostgreSQL's processes share most of theirs: it counts once for the group. */
function memoryOf(pid: number): { own: number; shared: number } | undefined {
  const [, resident, shared] = (read(`/proc/${pid}/statm`) ?? '').split(' ').map(Number);
  if (resident === undefined || shared === undefined) return undefined;
  return { own: (resident - shared) * PAGE_BYTES, shared: shared * PAGE_BYTES };
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
