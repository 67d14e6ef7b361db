import { isLoopback } from './loopback.js';

const PORT = /:\d*$/;
/** Longest name that a refusal repeats. */
const MAXIMUM_SHOWN = 100;

/**
 * The names that a server answers to. One that listens on loopback answers to this machine's names and to those of its public
 * addresses: a page of another site can give its own name this machine's address (DNS rebinding), and a browser would then let
 * it read every reply.
 */
export class AnsweredHosts {
  private readonly isBound: boolean;
  private readonly publicNames: readonly string[];

  /**
   * @param listensOn the setting; on an address that is not loopback every name is answered, as proxies and probes have their own
   * @param publicUrls addresses, or empty
   */
  constructor(listensOn: string, publicUrls: readonly string[]) {
    this.isBound = isLoopback(listensOn);
    this.publicNames = publicUrls.filter((url) => url !== '').map((url) => new URL(url).hostname);
  }

  /**
   * @param host a header that was found to be well-formed
   * @returns why it is not answered; undefined if it is
   */
  refusalOf(host: string): string | undefined {
    if (!this.isBound) return undefined;
    const name = host.replace(PORT, '').toLowerCase();
    if (isLocalName(name) || this.publicNames.includes(name)) return undefined;
    return (
      'This server is only reachable from this machine, and does not answer to the host ' +
      `"${name.slice(0, MAXIMUM_SHOWN)}": use localhost, or set PUBLIC_URL (for the dashboard WEB_PUBLIC_URL)`
    );
  }
}

/** Returns true for a name of this machine. @param name as in `URL.hostname` */
export function isLocalName(name: string): boolean {
  return name.endsWith('.localhost') || isLoopback(name.replace(/^\[|\]$/g, ''));
}
