import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { ALL_SCOPES } from '../../access/scopes.js';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { UnavailableError } from '../../errors/domain-error.js';
import { tokenResourceOf } from '../../config/token-resource.js';
import type { CredentialOwner } from '../access-token.strategy.js';
import { DemandedSignIn } from './demanded-sign-in.js';
import { IdentitiesRepository } from './identities.repository.js';
import { IdentityProvider } from './identity-provider.js';
import { proofIn } from './provided-claims.js';
import { fetchFromProvider } from './provider-failures.js';

/** Signatures with a key of the provider's own; anybody with the client's secret could make others. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const TIMEOUT_MS = 5_000;
const MAXIMUM_TOKENS = 10_000;
/** The longest time for which a checked token is not looked at again; milliseconds. */
const REMEMBERED_MS = 300_000;

type Keys = ReturnType<typeof createRemoteJWKSet>;

/**
 * Checks access tokens of the identity provider, which assistants get by OAuth for people who have logged in by single sign-on
 * before. They are JWTs for the address of `/mcp` alone: a token that the provider made for another program is refused.
 */
@Injectable()
export class ProviderTokensService {
  private readonly resource: string | null;
  private readonly issuer: string;
  private keys: Keys | undefined;
  /** Only hashes are stored, so that a dump of the memory contains no token. */
  private readonly known = new LRUCache<string, CredentialOwner>({ max: MAXIMUM_TOKENS });

  constructor(
    private readonly provider: IdentityProvider,
    private readonly identities: IdentitiesRepository,
    private readonly database: Database,
    private readonly demand: DemandedSignIn,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.resource = tokenResourceOf(settings);
    this.issuer = settings.OIDC_ISSUER;
  }

  /**
   * @returns null if it is no token of the provider for this service, proves less than is demanded, or its person has never logged in here
   * @throws UnavailableError if the provider does not give its keys
   */
  async ownerOf(token: string): Promise<CredentialOwner | null> {
    if (this.resource === null) return null;
    const key = hash('sha256', token, 'base64');
    const known = this.known.get(key);
    if (known) return known;
    const claims = await this.claimsOf(token, this.resource);
    if (!claims) return null;
    const identity = { issuer: this.issuer, subject: claims.sub! };
    const userId = await this.database.people.transaction((tx) => this.identities.findUserId(tx, identity));
    if (userId === null) return null;
    const owner = {
      userId,
      credential: 'token',
      sessionId: null,
      keyId: null,
      scopes: [ALL_SCOPES],
    } as const;
    const ttl = Math.min(REMEMBERED_MS, claims.exp! * 1_000 - Date.now());
    if (ttl > 0) this.known.set(key, owner, { ttl });
    return owner;
  }

  private async claimsOf(token: string, audience: string): Promise<JWTPayload | null> {
    try {
      const { payload } = await jwtVerify(token, (header, input) => this.keyFor(header, input), {
        issuer: this.issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp'],
      });
      return this.demand.isMetBy(proofIn(payload)) ? payload : null;
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return null;
      throw new UnavailableError('The identity provider does not respond: try again later');
    }
  }

  private async keyFor(...asked: Parameters<Keys>): ReturnType<Keys> {
    this.keys ??= createRemoteJWKSet(new URL(await this.provider.keysAddress()), {
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: fetchFromProvider as typeof fetch,
    });
    return this.keys(...asked);
  }
}
