import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
} from '@nestjs/common';
import type { Request } from 'express';
import { type Settings, SETTINGS } from '../config/settings.js';
import { brokenPasswordRules } from './password-rules.js';
import { Passwords } from './passwords.js';

interface RequestWithPassword extends Request {
  preparedPasswordHash?: string;
}

/**
 * Hashes a new password before the handler runs. With an `Idempotency-Key` the handler runs inside a transaction,
 * and people who wait for their turn at bcrypt must not hold the database's connections meanwhile.
 */
@Injectable()
export class PreparedPasswordGuard implements CanActivate {
  constructor(
    private readonly passwords: Passwords,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithPassword>();
    const password = (request.body as { password?: unknown } | undefined)?.password;
    // What can't succeed is left for the handler to refuse, with its reasons.
    if (
      this.settings.ALLOW_REGISTRATION &&
      typeof password === 'string' &&
      !brokenPasswordRules(password).length
    ) {
      request.preparedPasswordHash = await this.passwords.hash(password);
    }
    return true;
  }
}

/** What {@link PreparedPasswordGuard} made; undefined where the password can't be used. */
export const PreparedPasswordHash = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | undefined =>
    context.switchToHttp().getRequest<RequestWithPassword>().preparedPasswordHash,
);
