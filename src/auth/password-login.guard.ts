import { type CanActivate, Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { ForbiddenError } from '../errors/domain-error.js';

/** Closes a route that is about passwords where `PASSWORD_LOGIN` is false. */
@Injectable()
export class PasswordLoginGuard implements CanActivate {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  canActivate(): boolean {
    if (this.settings.PASSWORD_LOGIN) return true;
    throw new ForbiddenError('password_login_off', 'Passwords are not used here: log in with single sign-on');
  }
}
