import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtSecretRequestType, JwtService } from '@nestjs/jwt';
import { validate as isUuid, v4 as uuidv4 } from 'uuid';
import { SigningKeys } from './signing-keys.js';

export const TOKEN_ALGORITHM = 'HS256';
const LIFETIME_SECONDS = { access: 30 * 60, refresh: 7 * 24 * 60 * 60 } as const;

type TokenType = keyof typeof LIFETIME_SECONDS;

/** The claims of a token whose signature stands. */
export interface TokenClaims {
  readonly type?: unknown;
  readonly sub?: unknown;
}

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Of the access token. */
  readonly expiresInSeconds: number;
}

@Injectable()
export class TokensService {
  private readonly jwt: JwtService;

  constructor(private readonly keys: SigningKeys) {
    this.jwt = new JwtService({
      secretOrKeyProvider: (request, token) =>
        request === JwtSecretRequestType.SIGN ? keys.current.key : this.keyOf(token as string),
      verifyOptions: { algorithms: [TOKEN_ALGORITHM] },
    });
  }

  issue(userId: string): TokenPair {
    return {
      accessToken: this.sign(userId, 'access'),
      refreshToken: this.sign(userId, 'refresh'),
      expiresInSeconds: LIFETIME_SECONDS.access,
    };
  }

  /** @returns the user's id; null when it is not a refresh token of ours that is still good */
  userOfRefreshToken(token: string): string | null {
    try {
      const claims = this.jwt.verify<TokenClaims>(token);
      return claims.type === 'refresh' && isUuid(claims.sub) ? String(claims.sub) : null;
    } catch {
      // Malformed, expired, signed by another: why it is worthless is nothing to tell the one who sent it.
      return null;
    }
  }

  private sign(userId: string, type: TokenType): string {
    return this.jwt.sign(
      { type },
      {
        algorithm: TOKEN_ALGORITHM,
        keyid: this.keys.current.id,
        subject: userId,
        jwtid: uuidv4(),
        expiresIn: LIFETIME_SECONDS[type],
      },
    );
  }

  private keyOf(token: string): KeyObject {
    const key = this.keys.ofToken(token);
    if (!key) throw new Error('The token names none of our keys');
    return key;
  }
}
