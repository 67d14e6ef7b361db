import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

/** Linux has it all in files; a slim container there has no `ps`. */
const HAS_PROC = process.platform === 'linux';
const run = promisify(execFile);
const PS_OPTIONS = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 };

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/**
 * The identity of a process: the time of its start, and the machine's own start. It tells the process from all others
 * that have had its number or will have it.
 *
 * @returns nothing when there is no such process, or only what is left of it until somebody asks for its exit code
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
 * In which PID namespace this process is: numbers of processes mean nothing in another one, a container say. Nothing
 * where there are no such namespaces.
 */
export function pidNamespace(): string | undefined {
  return HAS_PROC ? readlinkSync('/proc/self/ns/pid') : undefined;
}

/** Ends a process at once, or with a negative number a group; nothing happens where it has ended by itself. */
export function killAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}

/** All processes that can be seen. */
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

/** A process's own, and those that came from it, as far as they have not been given away to another parent. Pure. */
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
 * Processes in whose environment a variable has a value.
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
      // somebody else's, or gone
      return [];
    }
  });
}

function numbered(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** From the third field on: the second one, the name, may hold anything. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

let boot: string | undefined;
function bootId(): string {
  return (boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
}
