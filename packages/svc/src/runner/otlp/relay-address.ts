import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';

const HOST = '127.0.0.1';

/** The address to which the processes of an agent send their telemetry. */
export interface RelayAddress {
  readonly port: number;
  /** First part of the path. Every user of the machine reaches the port, and only the agent's processes know this. */
  readonly token: string;
}

/**
 * Lets a server listen on loopback: at the address of the earlier runner, whose processes continue when it is killed, or at a new
 * one if another program has that port.
 *
 * @param file holds the address; closed to other users
 * @throws the system's error
 */
export async function listenAt(server: Server, file: string): Promise<RelayAddress> {
  const former = readAddress(file);
  if (former && (await canListen(server, former.port))) return former;
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const address = { port, token: randomBytes(24).toString('base64url') };
  await replaceFile(file, JSON.stringify(address));
  return address;
}

async function canListen(server: Server, port: number): Promise<boolean> {
  try {
    await listen(server, port);
    return true;
  } catch {
    return false;
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, HOST);
  await once(server, 'listening');
}

/** @returns undefined if there is no file, or it was not written whole */
function readAddress(file: string): RelayAddress | undefined {
  try {
    const { port, token } = JSON.parse(readFileSync(file, 'utf8')) as Partial<RelayAddress>;
    return Number.isInteger(port) && typeof token === 'string' && token !== ''
      ? { port: port!, token }
      : undefined;
  } catch {
    return undefined;
  }
}

export function urlOf({ port, token }: RelayAddress): string {
  return `http://${HOST}:${port}/${token}`;
}
