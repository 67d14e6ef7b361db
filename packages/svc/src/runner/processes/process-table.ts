import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

/** Linux has all data in files; a slim container has no `ps`. */
const HAS_PROC = process.platform === 'linux';
const run = promisify(execFile);
const PS_OPTIONS = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 };

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/**
 * The identity of a process: the time of its start, and that of the machine. It distinguishes the process from all
 * earlier and later ones with the same pid.
 *
 * @returns undefined if there is no such process, or it has ended and its exit code was not collected yet
 */
export function identityOf(pid: number): string | undefined {
  try {
    if (!HAS_PROC) {
      const started = execFileSync('ps', ['-o', 'lstart=,state=', '-p', String(pid)], PS_OPTIONS);
      const [, at, state] = /^(.*\d)\s+(\S+)\s*$/.exec(started.toString().trim()) ?? [];
      return at === undefined || state!.startsWith('Z') ? undefined : at;
    }
    const stat = statOf(pid);
    // fields 3 and 22 of proc_pid_stat(5)
    if (stat[0] === 'Z' || stat[0] === 'X') return undefined;
    return `${bootId()}/${stat[19]}`;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number, identity: string): boolean {
  return identityOf(pid) === identity;
}

/**
 * The PID namespace of this process: pids have no meaning in another one, for example a container. Undefined on systems
 * without namespaces.
 */
export function pidNamespace(): string | undefined {
  return HAS_PROC ? readlinkSync('/proc/self/ns/pid') : undefined;
}

/** Kills a process, or with a negative number a process group, unless it has ended. */
export function killAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

/** All visible processes. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  if (!HAS_PROC) {
    const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,pgid='], PS_OPTIONS);
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .map(([pid, parent, group]) => ({ pid: pid!, parent: parent!, group: group! }));
  }
  return numbered().flatMap((pid) => {
    try {
      const stat = statOf(pid);
      return stat[0] === 'Z' ? [] : [{ pid, parent: Number(stat[1]), group: Number(stat[2]) }];
    } catch {
      // it ended while the list was read
      return [];
    }
  });
}

/** A process and its descendants, except those that have another parent now. Pure. */
export function familyOf(leader: number, processes: readonly ProcessEntry[]): number[] {
  const family = new Set(
    processes.filter(({ pid, group }) => pid === leader || group === leader).map((it) => it.pid),
  );
  for (let before = -1; before !== family.size;) {
    before = family.size;
    for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

/**
 * Processes whose environment has a variable with a value.
 *
 * @returns their pids, with the value of another variable
 */
export async function findByEnvironment(
  [name, value]: readonly [string, string],
  other: string,
): Promise<{ readonly pid: number; readonly value: string | undefined }[]> {
  const found: { pid: number; value: string | undefined }[] = [];
  for (const [pid, variables] of await environments()) {
    if (!variables.includes(`${name}=${value}`)) continue;
    found.push({ pid, value: variables.find((it) => it.startsWith(`${other}=`))?.slice(other.length + 1) });
  }
  return found;
}

async function environments(): Promise<[pid: number, variables: string[]][]> {
  if (!HAS_PROC) {
    const { stdout } = await run('ps', ['-axEww', '-o', 'pid=,command='], PS_OPTIONS);
    const lines = stdout.split('\n').map((line) => /^\s*(\d+)\s(.*)$/.exec(line));
    return lines.flatMap((it) => (it ? [[Number(it[1]), it[2]!.split(' ')] as [number, string[]]] : []));
  }
  return numbered().flatMap((pid) => {
    try {
      return [[pid, readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')] as [number, string[]]];
    } catch {
      // another user's process, or an ended one
      return [];
    }
  });
}

function numbered(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** The fields from the third one on: the second one, the name, may contain anything. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

let boot: string | undefined;
function bootId(): string {
  return (boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
}
