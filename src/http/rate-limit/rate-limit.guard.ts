import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request, Response } from 'express';
import { requestOf, responseOf } from '../../access/http-context.js';
import { RATE_LIMITED, type RateLimit } from '../../access/rate-limited.js';
import { RateLimitedError } from '../../errors/domain-error.js';
import { addressKey } from './address-key.js';
import { RateLimits, type RateLimitState } from './rate-limits.js';

/** Enforces `@RateLimited()`. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly modules: ModuleRef,
    private readonly limits: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const limit = Reflect.getMetadata(RATE_LIMITED, context.getHandler()) as RateLimit | undefined;
    return limit ? this.admit(context, limit) : true;
  }

  private async admit(context: ExecutionContext, limit: RateLimit): Promise<boolean> {
    const state = await this.count(limit, requestOf(context));
    describe(state, responseOf(context));
    if (state.exceeded) throw new RateLimitedError('Too many requests', state.resetSeconds);
    return true;
  }

  /** Counts a request. Past the address's own limit it does not count for the account in it. */
  private async count(limit: RateLimit, request: Request): Promise<RateLimitState> {
    // A closed connection has no address; such requests share one count.
    const byAddress = await this.limits.count(limit.name, 'address', addressKey(request.ip ?? ''));
    if (byAddress.exceeded || !limit.account) return byAddress;
    const account = this.modules.get(limit.account, { strict: false }).accountOf(request);
    if (account === undefined) return byAddress;
    const byAccount = await this.limits.count(limit.name, 'account', account);
    return byAccount.exceeded || byAccount.remaining < byAddress.remaining ? byAccount : byAddress;
  }
}

function describe(state: RateLimitState, response: Response): void {
  response.setHeader('RateLimit-Limit', String(state.limit));
  response.setHeader('RateLimit-Remaining', String(state.remaining));
  response.setHeader('RateLimit-Reset', String(state.resetSeconds));
}
