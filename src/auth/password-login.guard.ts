import { type CanActivate, Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { ForbiddenError } from '../errors/domain-error.js';

/** Closes routes about passwords if `PASSWORD_LOGIN` is false. */
@Injectable()
export class PasswordLoginGuard implements CanActivate {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  canActivate(): boolean {
    if (this.settings.PASSWORD_LOGIN) return true;
    throw new ForbiddenError('password_login_off', 'Password login is off: log in with single sign-on');
  }
}
