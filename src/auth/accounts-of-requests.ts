import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccountOfRequest } from '../access/rate-limited.js';
import { canonicalEmail } from '../http/request-fields.js';
import { TokensService } from './tokens.service.js';

function field(request: { readonly body?: unknown }, name: string): string | undefined {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The name under which rate limits count an account: a hash of the email address, which may have no account.
 *
 * @param email in its canonical form
 */
export function pseudonymOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}

/** The account of a registration: the address in the request. */
@Injectable()
export class AccountByEmail implements AccountOfRequest {
  accountOf(request: { readonly body?: unknown }): string | undefined {
    const email = field(request, 'email');
    return email && pseudonymOf(canonicalEmail(email));
  }
}

/**
 * The account of a refresh: that of the token, if its signature is valid, because anyone can write a token with another
 * account's id.
 */
@Injectable()
export class AccountByRefreshToken implements AccountOfRequest {
  constructor(private readonly tokens: TokensService) {}

  accountOf(request: { readonly body?: unknown }): string | undefined {
    const token = field(request, 'refresh_token');
    return (token && this.tokens.readRefreshToken(token)?.userId) || undefined;
  }
}
