import { readFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';

/** Description of the machine as far as figures depend on it; without its name. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly postgres: string;
  /** Processes that wanted to run in the minute before the bench, on average: above 0.5 others were at work. */
  readonly loadBefore: number;
}

export function describeMachine(postgres: string): Machine {
  return {
    processor: cpus()[0]?.model.trim() || 'unknown',
    cores: availableCores(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release().split('-')[0]}`,
    node: process.version,
    postgres,
    loadBefore: loadavg()[0]!,
  };
}

/** Cores that the control group allows: a container may have fewer than the machine. */
function availableCores(): number {
  try {
    const [quota, period] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').split(' ').map(Number);
    if (quota && period) return Math.min(cpus().length, quota / period);
  } catch {
    // no control groups: all cores
  }
  return cpus().length;
}
