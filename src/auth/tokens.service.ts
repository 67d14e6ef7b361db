import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtSecretRequestType, JwtService } from '@nestjs/jwt';
import { validate as isUuid, v4 as uuidv4 } from 'uuid';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { name } from '../config/version.js';
import { SigningKeys } from './signing-keys.js';
import type { OpenSession } from './sessions/session.types.js';

export const TOKEN_ALGORITHM = 'HS256';
const ACCESS_SECONDS = 30 * 60;
/**
 * Memberships by groups last 30 minutes after the identity provider has confirmed them. Clients refresh when the access
 * token ends: it has to end before them, or these memberships would be gone at each refresh until it is done.
 */
const CONFIRMING_ACCESS_SECONDS = 25 * 60;

/** The claims of a token whose signature is valid. */
export interface TokenClaims {
  readonly type?: unknown;
  readonly sub?: unknown;
  readonly sid?: unknown;
  /** Number of a refresh token within its session. */
  readonly gen?: unknown;
  /** Expiry, in seconds since 1970. */
  readonly exp?: unknown;
}

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
}

/** The claims of a valid refresh token. Only the database knows whether its session is still open. */
export interface RefreshClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly generation: number;
}

/** The claims `iss` and `aud` of tokens. */
interface TokenNames {
  readonly issuer: string;
  readonly accessAudience: string;
  readonly refreshAudience: string;
}

/**
 * The issuer is the installation, by its `PUBLIC_URL`: a token of one installation is refused by another with the same
 * secret, such as a copy for tests. The audience is the part of the API for which the token is valid: all of it, or the
 * refresh.
 */
export function tokenNames({ PUBLIC_URL }: Pick<Settings, 'PUBLIC_URL'>): TokenNames {
  const issuer = PUBLIC_URL || name;
  return { issuer, accessAudience: issuer, refreshAudience: `${issuer}/auth/refresh` };
}

@Injectable()
export class TokensService {
  private readonly jwt: JwtService;
  private readonly names: TokenNames;

  constructor(
    private readonly keys: SigningKeys,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.names = tokenNames(settings);
    this.jwt = new JwtService({
      secretOrKeyProvider: (request, token) =>
        request === JwtSecretRequestType.SIGN ? keys.current.key : this.keyOf(token as string),
      verifyOptions: {
        algorithms: [TOKEN_ALGORITHM],
        issuer: this.names.issuer,
        audience: this.names.refreshAudience,
      },
    });
  }

  /**
   * Issues the tokens of a session. The refresh token depends only on the session's row, so it can be issued again for
   * a client that lost the reply, and is not stored.
   */
  issue(session: OpenSession): TokenPair {
    const { id, userId, generation, lastUsedAt, expiresAt, confirmsGroups } = session;
    const expiresInSeconds = confirmsGroups ? CONFIRMING_ACCESS_SECONDS : ACCESS_SECONDS;
    const accessToken = this.jwt.sign(
      { type: 'access', sid: id },
      { ...this.signing(userId, this.names.accessAudience), jwtid: uuidv4(), expiresIn: expiresInSeconds },
    );
    const refreshToken = this.jwt.sign(
      { type: 'refresh', sid: id, gen: generation, iat: seconds(lastUsedAt), exp: seconds(expiresAt) },
      this.signing(userId, this.names.refreshAudience),
    );
    return { accessToken, refreshToken, expiresInSeconds };
  }

  /** @returns null if it is no refresh token of this service, or has expired */
  readRefreshToken(token: string): RefreshClaims | null {
    try {
      const { type, sub, sid, gen } = this.jwt.verify<TokenClaims>(token);
      if (type !== 'refresh' || !isUuid(sub) || !isUuid(sid) || !Number.isSafeInteger(gen)) return null;
      return { userId: String(sub), sessionId: String(sid), generation: Number(gen) };
    } catch {
      // Malformed, expired, or signed by another key: the caller does not learn which.
      return null;
    }
  }

  private signing(userId: string, audience: string) {
    const { keys, names } = this;
    const common = { algorithm: TOKEN_ALGORITHM, keyid: keys.current.id, issuer: names.issuer } as const;
    return { ...common, subject: userId, audience };
  }

  private keyOf(token: string): KeyObject {
    const key = this.keys.ofToken(token);
    if (!key) throw new Error("The token's key id is none of this service's signing keys");
    return key;
  }
}

function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}
