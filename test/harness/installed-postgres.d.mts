export interface InstalledPostgres {
  /** Over a Unix socket. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

export function oldestInstalledPostgres(): number | undefined;
export function startInstalledPostgres(major: number): Promise<InstalledPostgres>;
