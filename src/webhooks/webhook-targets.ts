import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { InvalidError, RateLimitedError } from '../errors/domain-error.js';
import { KeyedLimit } from './keyed-limit.js';
import { NameResolver } from './name-resolver.js';
import {
  areAllPublic,
  hasHttpPort,
  isMetadataAddress,
  isMetadataName,
  isPublicName,
  literalAddress,
  parseTarget,
} from './target-guard.js';

/** How long a request that names a target waits for its name to be resolved; milliseconds. */
const PATIENCE_MS = 3_000;
/** Names that one user may have resolved at once. Each may take seconds, and holds a request's slot meanwhile. */
const RESOLUTIONS_OF_ONE_USER = 5;

const NO_METADATA = 'url must not lead to the metadata service of a cloud, nor to a link-local address';

/** An address that no webhook may lead to. */
export class RefusedTargetError extends Error {}

/** Decides, with the settings and the name servers, which targets are allowed: when they are named and when used. */
@Injectable()
export class WebhookTargets {
  private readonly resolutions = new KeyedLimit(RESOLUTIONS_OF_ONE_USER);

  constructor(
    private readonly names: NameResolver,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WEBHOOK_ALLOW_PRIVATE_TARGETS'>,
  ) {}

  /**
   * For a target that its owner names. A name that does not resolve now may do so later, and is judged again at
   * every connection; it is let through. It may take seconds, so it is awaited before there is a transaction.
   *
   * @throws InvalidError
   * @throws RateLimitedError where `RESOLUTIONS_OF_ONE_USER` names of this user are being resolved already
   */
  async assertAllowed(userId: string, text: string): Promise<void> {
    const { url, problem } = parseTarget(text);
    if (!url) throw InvalidError.of('url', 'invalid_value', problem);
    if (leadsToMetadata(url.hostname)) throw InvalidError.of('url', 'invalid_value', NO_METADATA);
    if (this.settings.WEBHOOK_ALLOW_PRIVATE_TARGETS) return;
    if (!hasHttpPort(url))
      throw InvalidError.of(
        'url',
        'invalid_value',
        `url must not have the port ${url.port} of another protocol`,
      );
    // The slot is taken until the name servers have answered, though the request waits no longer than its patience.
    const judged = this.resolutions
      .run(userId, () => this.addressesOf(url.hostname), tooManyResolutions)
      .catch((error: unknown) => error);
    const outcome = await Promise.race([judged, delay(PATIENCE_MS, undefined, { ref: false })]);
    if (outcome instanceof RateLimitedError) throw outcome;
    if (outcome instanceof RefusedTargetError)
      throw InvalidError.of('url', 'invalid_value', 'url must lead to a public address');
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
    if (leadsToMetadata(hostname)) throw new RefusedTargetError(hostname);
    if (literal === null && !mayBePrivate && !isPublicName(hostname)) throw new RefusedTargetError(hostname);
    const addresses = literal === null ? await this.names.resolve(hostname) : [literal];
    if (addresses.some(isMetadataAddress)) throw new RefusedTargetError(hostname);
    if (!mayBePrivate && !areAllPublic(addresses)) throw new RefusedTargetError(hostname);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
}

/** Judges the host of a URL by itself; the addresses of a name are judged when it is resolved. */
function leadsToMetadata(hostname: string): boolean {
  const literal = literalAddress(hostname);
  return literal === null ? isMetadataName(hostname) : isMetadataAddress(literal);
}

function tooManyResolutions(): RateLimitedError {
  return new RateLimitedError(
    `The names of ${RESOLUTIONS_OF_ONE_USER} webhooks of yours are being resolved already; try again in a few seconds`,
    PATIENCE_MS / 1_000,
  );
}
