import type { Client, ClientConfig } from 'pg';
import { PrimaryClient } from './primary-client.js';

/** Connects to the primary for a command of the operator's, and ends the connection after `work`. @returns what `work` returns */
export async function withClient<T>(options: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new PrimaryClient(options);
  // A lost connection also fails the statement under way, so this event needs no handling.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
