import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BenchDatabase } from '../fleet/bench-database.js';
import type { Bench } from '../speed/bench.js';
import { callJson } from '../speed/json-calls.js';
import type { RequestsOf } from '../speed/load.js';
import { Program } from '../speed/program.js';

/** Rows that a write is spread over, as heartbeats are over the agents that have keys. */
export const WRITTEN_ROWS = 500;
/** Owners of a peer's rows, as many as there are users of the service. */
export const OWNERS = 10;
/** Connections to PostgreSQL: as many as a limit server has. */
export const POOL_SIZE = 8;
/** Fields of a row that are texts, named as an agent's. */
export const TEXT_FIELDS = ['name', 'description', 'type', 'status', 'version', 'hostname', 'platform'];

/** Another product, which does the closest equal work. */
export interface Peer {
  readonly name: string;
  /**
   * Starts it on a database of its own, filled.
   *
   * @throws when it is not installed, does not start, or refuses what it is asked
   */
  start(bench: Bench): Promise<PeerWork>;
}

export interface PeerWork {
  readonly program: Program;
  /** The list of fifty rows, with a credential. */
  readonly list: RequestsOf;
  /** The write of one row, with a credential. */
  readonly write: RequestsOf;
}

/** Options of a database on a Unix socket. */
export interface PeerConnection {
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

/** @returns an empty database on the bench's server; it goes with the section */
export async function openDatabase(
  bench: Bench,
): Promise<{ database: BenchDatabase; connection: PeerConnection }> {
  const database = await BenchDatabase.open(bench.database.url);
  bench.atEndOfSection(() => database.close());
  const { searchParams, username, pathname } = new URL(database.url);
  return {
    database,
    connection: { host: searchParams.get('host')!, user: username, database: pathname.slice(1) },
  };
}

/**
 * @param name of the package
 * @returns where `scripts/install-peers.mjs` has installed it
 * @throws when it is not there
 */
export function installedFolder(name: string): string {
  const folder = resolve('node_modules/.cache/peers', name);
  if (!existsSync(`${folder}/installed-lock.json`)) throw new Error(`${name} is not installed`);
  return folder;
}

/** Starts a peer's server, which ends with the section. @param readyPath answers 200 when it is ready */
export async function startPeer(
  bench: Bench,
  { folder, main, args, readyPath }: { folder: string; main: string; args?: string[]; readyPath: string },
  environment: Readonly<Record<string, string>>,
): Promise<Program> {
  const program = await Program.start(
    `${folder}/node_modules/${main}`,
    { NODE_ENV: 'production', ...environment },
    { args, readyPath, cwd: folder },
  );
  bench.atEndOfSection(() => program.stop());
  return program;
}

/** Sends a body with a credential, where its own cost does not matter. @throws when it is refused */
export function post<Reply>(
  { url }: Program,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<Reply> {
  return callJson<Reply>(`${url}${path}`, { method: 'POST', headers, body });
}
