import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { requestOf } from '../access/http-context.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { isLocalName } from '../http-server/answered-hosts.js';

const LONGEST_SHOWN = 100;

/** Refuses pages of other sites, as the protocol asks: only those of this machine and of the service's own addresses may call. */
@Injectable()
export class OriginGuard implements CanActivate {
  private readonly names: readonly string[];

  constructor(@Inject(SETTINGS) { PUBLIC_URL, WEB_PUBLIC_URL }: Settings) {
    this.names = [PUBLIC_URL, WEB_PUBLIC_URL].filter((url) => url !== '').map((url) => new URL(url).hostname);
  }

  /** @throws ForbiddenError */
  canActivate(context: ExecutionContext): boolean {
    const { origin } = requestOf(context).headers;
    // Programs send none.
    if (origin === undefined) return true;
    const name = URL.parse(origin)?.hostname ?? '';
    if (name !== '' && (isLocalName(name) || this.names.includes(name))) return true;
    throw new ForbiddenError(
      'origin_refused',
      `Pages of the origin ${JSON.stringify(origin.slice(0, LONGEST_SHOWN))} are not allowed to call: set ` +
        'PUBLIC_URL or WEB_PUBLIC_URL',
    );
  }
}
