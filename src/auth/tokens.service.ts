import { Injectable } from '@nestjs/common';
import { JwtSecretRequestType, JwtService } from '@nestjs/jwt';
import { validate as isUuid, v4 as uuidv4 } from 'uuid';
import { SigningKeys } from './signing-keys.js';

const ALGORITHM = 'HS256';
const LIFETIME_SECONDS = { access: 30 * 60, refresh: 7 * 24 * 60 * 60 } as const;

type TokenType = keyof typeof LIFETIME_SECONDS;

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
      verifyOptions: { algorithms: [ALGORITHM] },
    });
  }

  issue(userId: string): TokenPair {
    return {
      accessToken: this.sign(userId, 'access'),
      refreshToken: this.sign(userId, 'refresh'),
      expiresInSeconds: LIFETIME_SECONDS.access,
    };
  }

  /** @returns the user's id; null when it is not an access token of ours that is still good */
  userOfAccessToken(token: string): string | null {
    return this.verify(token, 'access');
  }

  /** @returns the user's id; null when it is not a refresh token of ours that is still good */
  userOfRefreshToken(token: string): string | null {
    return this.verify(token, 'refresh');
  }

  private sign(userId: string, type: TokenType): string {
    return this.jwt.sign(
      { type },
      {
        algorithm: ALGORITHM,
        keyid: this.keys.current.id,
        subject: userId,
        jwtid: uuidv4(),
        expiresIn: LIFETIME_SECONDS[type],
      },
    );
  }

  private verify(token: string, type: TokenType): string | null {
    try {
      const claims = this.jwt.verify<{ type?: unknown; sub?: unknown }>(token);
      return claims.type === type && isUuid(claims.sub) ? String(claims.sub) : null;
    } catch {
      // Malformed, expired, signed by another: why it is worthless is nothing to tell the one who sent it.
      return null;
    }
  }

  /** By the key id in the token's header, which nobody has vouched for yet: it only chooses among our own keys. */
  private keyOf(token: string) {
    const [header = ''] = token.split('.', 1);
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: unknown };
    const key = this.keys.find(kid);
    if (!key) throw new Error('The token was signed with an unknown key');
    return key.key;
  }
}
