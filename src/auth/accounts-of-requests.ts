import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccountOfRequest } from '../access/rate-limited.js';
import { TokensService } from './tokens.service.js';

function field(request: { readonly body?: unknown }, name: string): string | undefined {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** For login and registration: the address that the request names, hashed, because it may be nobody's. */
@Injectable()
export class AccountByEmail implements AccountOfRequest {
  accountOf(request: { readonly body?: unknown }): string | undefined {
    const email = field(request, 'email');
    return email && createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
  }
}

/** For refresh: the account of the token, once its signature stands; anyone can write down another's id. */
@Injectable()
export class AccountByRefreshToken implements AccountOfRequest {
  constructor(private readonly tokens: TokensService) {}

  accountOf(request: { readonly body?: unknown }): string | undefined {
    const token = field(request, 'refresh_token');
    return (token && this.tokens.userOfRefreshToken(token)) || undefined;
  }
}
