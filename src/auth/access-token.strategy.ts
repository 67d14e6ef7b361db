import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { validate as isUuid } from 'uuid';
import type { UserPrincipal } from '../access/principal.js';
import { SCOPES_OF_PEOPLE } from '../access/scopes.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { presentedCredential } from './presented-credential.js';
import { SigningKeys } from './signing-keys.js';
import { TOKEN_ALGORITHM, type TokenClaims, tokenNames } from './tokens.service.js';

export const ACCESS_TOKEN = 'access-token';

/** The owner of a credential. The guard checks separately whether account and session are active. */
export type CredentialOwner = Omit<UserPrincipal, 'kind' | 'isAdmin' | 'origin' | 'memberships' | 'asks'>;

/** The owner of an access token, and its expiry: milliseconds since 1970. */
export interface TokenOwner {
  readonly owner: CredentialOwner;
  readonly expiresAtMs: number;
}

/**
 * Checks a person's access token: its signature, expiry, issuer and audience by `passport-jwt`, its type here.
 *
 * Passport lists strategies by name for the whole process. If two applications run in one process, as only tests do,
 * both use the keys of the one created last.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy, ACCESS_TOKEN) {
  constructor(keys: SigningKeys, @Inject(SETTINGS) settings: Settings) {
    const { issuer, accessAudience } = tokenNames(settings);
    super({
      jwtFromRequest: ({ headers }: Request) => presentedCredential(headers)?.text ?? null,
      secretOrKeyProvider: (_request: Request, token: string, done) => {
        const key = keys.ofToken(token);
        // A KeyObject, which `jsonwebtoken` accepts although these types don't allow it: a string costs 40 times as
        // much.
        done(
          key ? null : new Error("The token's key id is none of this service's signing keys"),
          key as unknown as Buffer,
        );
      },
      algorithms: [TOKEN_ALGORITHM],
      issuer,
      audience: accessAudience,
    });
  }

  validate({ type, sub, sid, exp }: TokenClaims): TokenOwner | null {
    if (type !== 'access' || !isUuid(sub) || !isUuid(sid)) return null;
    const session = { sessionId: String(sid), keyId: null, scopes: SCOPES_OF_PEOPLE };
    // A token without an expiry is not cached.
    return {
      owner: { userId: String(sub), credential: 'token', ...session },
      expiresAtMs: Number(exp ?? 0) * 1_000,
    };
  }
}
