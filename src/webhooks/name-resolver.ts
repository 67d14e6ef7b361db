import { lookup, Resolver } from 'node:dns/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';

const TIMEOUT_MS = 2_000;
const TRIES = 2;

@Injectable()
export class NameResolver {
  protected readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'WEBHOOK_ALLOW_PRIVATE_TARGETS'>) {}

  /**
   * Resolves a name to all its addresses, at least one. The name servers are asked directly: the system's own resolver
   * runs on four threads that password hashing needs too, and the owner of a name can make its servers slow. Private
   * names may be known only to the system (`/etc/hosts`), so the system is asked if they are allowed.
   *
   * @throws if the name does not resolve
   */
  async resolve(name: string): Promise<string[]> {
    if (this.settings.WEBHOOK_ALLOW_PRIVATE_TARGETS) {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    }
    const [v4, v6] = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw (v4 as PromiseRejectedResult).reason;
    return addresses;
  }
}
