import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccountOfRequest } from '../access/rate-limited.js';
import { canonicalEmail } from '../http/canonical-email.js';
import { TokensService } from './tokens.service.js';

function field(request: { readonly body?: unknown }, name: string): string | undefined {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The name under which an account is counted: a hash of its address, which may be nobody's.
 *
 * @param email in its canonical form
 */
export function pseudonymOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url');
}

/** For registration: the address that the request names. */
@Injectable()
export class AccountByEmail implements AccountOfRequest {
  accountOf(request: { readonly body?: unknown }): string | undefined {
    const email = field(request, 'email');
    return email && pseudonymOf(canonicalEmail(email));
  }
}

/** For refresh: the account of the token, once its signature is valid; anyone can write down another's id. */
@Injectable()
export class AccountByRefreshToken implements AccountOfRequest {
  constructor(private readonly tokens: TokensService) {}

  accountOf(request: { readonly body?: unknown }): string | undefined {
    const token = field(request, 'refresh_token');
    return (token && this.tokens.readRefreshToken(token)?.userId) || undefined;
  }
}
