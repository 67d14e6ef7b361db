export interface InstalledPostgres {
  /** Over a Unix socket. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

export function installedPostgresVersions(): number[];
export function startInstalledPostgres(major: number): Promise<InstalledPostgres>;
/** @param more makes files in the server's directory, and returns parameters */
export function startPostgres(
  bin: string,
  more?: (directory: string, owner: { uid?: number; gid?: number }) => Record<string, string>,
): Promise<InstalledPostgres>;
