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

/** Maximum time that a request with a target waits for its name to be resolved; milliseconds. */
const PATIENCE_MS = 3_000;
/**
 * Maximum number of names that one user may have resolved concurrently. Each may take seconds, and holds a request's
 * slot.
 */
const RESOLUTIONS_OF_ONE_USER = 5;

const NO_METADATA = "url must not lead to a cloud's metadata service or a link-local address";

/** An address that is not allowed as a target. */
export class RefusedTargetError extends Error {}

/**
 * Decides, by the settings and the name servers, which targets are allowed, both when they are set and when they are
 * used.
 */
@Injectable()
export class WebhookTargets {
  private readonly resolutions = new KeyedLimit(RESOLUTIONS_OF_ONE_USER);

  constructor(
    private readonly names: NameResolver,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WEBHOOK_ALLOW_PRIVATE_TARGETS'>,
  ) {}

  /**
   * Checks a target that its owner sets. A name that does not resolve now is accepted, because it may resolve later and
   * is checked at every connection. The check may take seconds, so it runs before the transaction.
   *
   * @throws InvalidError
   * @throws RateLimitedError if `RESOLUTIONS_OF_ONE_USER` names of this user are being resolved
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
        `url must not have the port ${url.port}, which belongs to another protocol`,
      );
    // The slot is taken until the name servers have answered, even if the request stops waiting earlier.
    const judged = this.resolutions
      .run(userId, () => this.addressesOf(url.hostname), tooManyResolutions)
      .catch((error: unknown) => error);
    const outcome = await Promise.race([judged, delay(PATIENCE_MS, undefined, { ref: false })]);
    if (outcome instanceof RateLimitedError) throw outcome;
    if (outcome instanceof RefusedTargetError)
      throw InvalidError.of('url', 'invalid_value', 'url must lead to a public address');
  }

  /**
   * The only addresses to which a connection may be made.
   *
   * @param hostname the host of a URL, which may be an IP address
   * @throws RefusedTargetError, or an error of the resolver
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

/** Checks the host of a URL itself; the addresses of a name are checked when it is resolved. */
function leadsToMetadata(hostname: string): boolean {
  const literal = literalAddress(hostname);
  return literal === null ? isMetadataName(hostname) : isMetadataAddress(literal);
}

function tooManyResolutions(): RateLimitedError {
  return new RateLimitedError(
    `The host names of ${RESOLUTIONS_OF_ONE_USER} webhooks of yours are being resolved already: try again in a ` +
      'few seconds',
    PATIENCE_MS / 1_000,
  );
}
