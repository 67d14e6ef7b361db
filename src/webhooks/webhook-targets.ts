import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { InvalidError } from '../errors/domain-error.js';
import { NameResolver } from './name-resolver.js';
import { areAllPublic, isPublicName, literalAddress, parseTarget } from './target-guard.js';

/** How long a request that names a target waits for its name to be resolved; milliseconds. */
const PATIENCE_MS = 3_000;

/** An address that no webhook may lead to. */
export class RefusedTargetError extends Error {}

/** Decides, with the settings and the name servers, which targets are allowed: when they are named and when used. */
@Injectable()
export class WebhookTargets {
  constructor(
    private readonly names: NameResolver,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WEBHOOK_ALLOW_PRIVATE_TARGETS'>,
  ) {}

  /**
   * For a target that its owner names. A name that does not resolve now may do so later, and is judged again at
   * every connection; it is let through.
   *
   * @throws InvalidError
   */
  async assertAllowed(text: string): Promise<void> {
    const { url, problem } = parseTarget(text);
    if (!url) throw new InvalidError([problem]);
    if (this.settings.WEBHOOK_ALLOW_PRIVATE_TARGETS) return;
    const addresses = await Promise.race([
      this.addressesOf(url.hostname).catch((error: unknown) => error),
      delay(PATIENCE_MS, undefined, { ref: false }),
    ]);
    if (addresses instanceof RefusedTargetError)
      throw new InvalidError(['url must lead to a public address']);
  }

  /**
   * For a connection: the addresses to which it may be made, and to no other.
   *
   * @param hostname of a URL, an IP address perhaps
   * @throws RefusedTargetError, or what the resolver throws
   */
  async addressesOf(hostname: string): Promise<LookupAddress[]> {
    const literal = literalAddress(hostname);
    const mayBePrivate = this.settings.WEBHOOK_ALLOW_PRIVATE_TARGETS;
    if (literal === null && !mayBePrivate && !isPublicName(hostname)) throw new RefusedTargetError(hostname);
    const addresses = literal === null ? await this.names.resolve(hostname) : [literal];
    if (!mayBePrivate && !areAllPublic(addresses)) throw new RefusedTargetError(hostname);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
}
