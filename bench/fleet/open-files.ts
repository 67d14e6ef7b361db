import { readFileSync } from 'node:fs';

/** Connections of an agent: its waiting poll, and a heartbeat of every second agent when all come at once. */
const CONNECTIONS_OF_AN_AGENT = 1.5;
/** Open files of short calls, the database, logs and libraries. */
const BESIDE = 500;
/** Ports for outgoing connections to one address: the usual Linux range, less those that have just been closed. */
const PORTS = 25_000;

/**
 * Reason why this machine can't hold so many connections; null when it can. Node has raised the soft limit to the hard one
 * by itself when it started, here and in the service that is started from here.
 */
export function obstacleTo(agents: number): string | null {
  if (agents > PORTS)
    return `${agents} agents need more outgoing ports to one address than there are: ${PORTS} at most.`;
  const limit = openFilesLimit();
  const needed = Math.ceil(agents * CONNECTIONS_OF_AN_AGENT) + BESIDE;
  if (limit === null || needed <= limit) return null;
  const most = Math.floor((limit - BESIDE) / CONNECTIONS_OF_AN_AGENT);
  return (
    `${agents} agents need up to ${needed} open files, the limit is ${limit}: raise it ` +
    `(ulimit -Hn ${needed}; ulimit -n ${needed})${most > 0 ? `, or choose --agents ${most}` : ''}.`
  );
}

/** Files that are being closed, and what others of the process have open. */
const RESERVED = 3_000;

/** Number of connections that the limit of open files allows. */
export function connectionsAtMost(): number {
  return Math.max(RESERVED, (openFilesLimit() ?? Infinity) - RESERVED);
}

/** @returns null where the system does not say */
function openFilesLimit(): number | null {
  try {
    const line = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line?.[1] === 'unlimited' || !line ? null : Number(line[1]);
  } catch {
    return null;
  }
}
