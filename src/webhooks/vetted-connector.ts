import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { ProxyTunnels } from './proxy-tunnels.js';
import { literalAddress } from './target-guard.js';
import type { WebhookTargets } from './webhook-targets.js';

/**
 * Resolves the name once for each connection, checks all its addresses, and connects only to those, also through a proxy: a name that
 * resolves differently a moment later can not lead elsewhere.
 */
export function vettedConnector(
  targets: WebhookTargets,
  tunnels: ProxyTunnels,
  timeoutMs: number,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    targets.addressesOf(hostname).then(
      (addresses) => {
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
  const connect = buildConnector({ lookup, timeout: timeoutMs });
  return (options, callback) => {
    const fail = (error: Error) => callback(error, null);
    const isTunnelled = tunnels.isFor(options);
    if (literalAddress(options.hostname) === null && !isTunnelled) {
      connect(options, callback);
      return;
    }
    // An IP address is never resolved, and a proxy would resolve a name itself, so both are checked here.
    targets
      .addressesOf(options.hostname)
      .then((addresses) => (isTunnelled ? tunnels.open(options, addresses) : undefined))
      .then((httpSocket) => {
        if (httpSocket && options.protocol === 'http:') callback(null, httpSocket);
        else connect(httpSocket ? { ...options, httpSocket } : options, callback);
      }, fail);
  };
}
