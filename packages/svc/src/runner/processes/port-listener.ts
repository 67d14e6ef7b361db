import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { familyOf, listProcesses } from './process-table.js';

/** State of a socket in proc(5)'s tables. */
const LISTENING = '0A';

/** Owner of the program that listens at a port; `unknown` where the system does not say, as on macOS. */
export type Listener = 'own' | 'other' | 'unknown';

/** Determines whether the program that listens at a port is a process or one of its descendants. */
export class PortListener {
  /** Path in /proc at which the socket was found. The link there names the same socket until it changes. */
  private found: { readonly path: string; readonly link: string } | undefined;

  constructor(
    private readonly port: number,
    private readonly leader: number,
  ) {}

  async whose(): Promise<Listener> {
    if (this.found && linkAt(this.found.path) === this.found.link) return 'own';
    const sockets = listeningAt(this.port);
    if (!sockets) return 'unknown';
    let isHidden = false;
    for (const pid of familyOf(this.leader, await listProcesses())) {
      const files = filesOf(pid);
      isHidden ||= files === undefined;
      for (const path of files ?? []) {
        const link = linkAt(path);
        if (link === undefined || !sockets.has(link)) continue;
        this.found = { path, link };
        return 'own';
      }
    }
    return isHidden ? 'unknown' : 'other';
  }
}

/** Sockets that listen at a port, by their names in links of open files. Undefined if there is no such table. */
function listeningAt(port: number): Set<string> | undefined {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => readTable(table));
  const listening = rows.filter((row) => row[3] === LISTENING);
  if (listening.length === 0) return undefined;
  return new Set(listening.filter((row) => row[1]?.endsWith(wanted)).map((row) => `socket:[${row[9]}]`));
}

function readTable(path: string): string[][] {
  try {
    const lines = readFileSync(path, 'latin1').split('\n').slice(1);
    return lines.map((line) => line.trim().split(/\s+/));
  } catch {
    return [];
  }
}

/** The open files of a process; undefined if they are hidden from this user. An ended process has none. */
function filesOf(pid: number): string[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? undefined : [];
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
