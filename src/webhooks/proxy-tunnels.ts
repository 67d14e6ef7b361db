import type { LookupAddress } from 'node:dns';
import { request } from 'node:http';
import { request as requestWithTls } from 'node:https';
import type { Socket } from 'node:net';
import type { Settings } from '../config/settings.js';
import { isWithoutProxy } from './no-proxy.js';
import { literalAddress } from './target-guard.js';

type ProxySettings = Pick<Settings, 'HTTP_PROXY' | 'HTTPS_PROXY' | 'NO_PROXY'>;

/** More addresses of a name than these are not tried: all must answer within the time of one attempt. */
const MAXIMUM_TRIES = 3;

/** The proxy did not lead to the target. The message is for the webhook's owner. */
export class ProxyError extends Error {}

export interface ProxiedTarget {
  readonly protocol: string;
  readonly hostname: string;
  /** Empty: that of the protocol. */
  readonly port: string;
}

/**
 * Tunnels through the proxies of the settings. The proxy gets addresses that were checked, never a name: it would
 * resolve the name again, and could be led to a private address.
 */
export class ProxyTunnels {
  private readonly closing = new AbortController();

  constructor(
    private readonly settings: ProxySettings,
    private readonly timeoutMs: number,
  ) {}

  /** Returns true if a target is reached through a proxy. */
  isFor(target: ProxiedTarget): boolean {
    const hasProxy = this.addressFor(target) !== '';
    return hasProxy && !isWithoutProxy(this.settings.NO_PROXY, target.hostname, portOf(target));
  }

  /**
   * Opens a tunnel to the first of the addresses to which the proxy leads.
   *
   * @throws ProxyError
   */
  async open(target: ProxiedTarget, addresses: readonly LookupAddress[]): Promise<Socket> {
    const proxy = new URL(this.addressFor(target));
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(this.timeoutMs)]);
    let failure: unknown;
    for (const { address, family } of addresses.slice(0, MAXIMUM_TRIES)) {
      const host = `${family === 6 ? `[${address}]` : address}:${portOf(target)}`;
      try {
        return await tunnelTo(host, proxy, signal);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** Gives up tunnels that are not open yet. */
  close(): void {
    this.closing.abort();
  }

  private addressFor({ protocol }: ProxiedTarget): string {
    return protocol === 'https:' ? this.settings.HTTPS_PROXY : this.settings.HTTP_PROXY;
  }
}

/** Opens one tunnel. @param host address and port of its other end @throws ProxyError */
function tunnelTo(host: string, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const send = proxy.protocol === 'https:' ? requestWithTls : request;
  const refuse = (status = 0) =>
    reject(new ProxyError(`The proxy replied ${status} to the request for the target`));
  send({
    ...hostOf(proxy),
    method: 'CONNECT',
    path: host,
    headers: { host, ...loginOf(proxy) },
    // A tunnel has its connection to itself.
    agent: false,
    signal,
  })
    .once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      if (statusCode < 200 || statusCode >= 300) {
        socket.destroy();
        refuse(statusCode);
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    })
    .once('response', ({ statusCode }) => refuse(statusCode))
    .on('error', (error: NodeJS.ErrnoException) => {
      const { code = 'no answer' } = error;
      reject(new ProxyError(`The proxy can't be reached (${code})`, { cause: error }));
    })
    .end();
  return promise;
}

function hostOf({ protocol, hostname, port }: URL): { readonly host: string; readonly port: number } {
  const host = literalAddress(hostname) ?? hostname;
  return { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

function loginOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

function portOf({ protocol, port }: ProxiedTarget): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
