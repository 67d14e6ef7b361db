import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { Response } from 'express';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { replyTo } from '../http/error-table.js';
import { ErrorFilter } from '../http/error.filter.js';
import { tokenResourceOf } from '../config/token-resource.js';

/** Explains to the person behind an assistant, which displays it, how to get a credential. */
const KEY_CHALLENGE =
  'Bearer realm="Agent control plane", error_description="Create an API key with svc api-keys create, or on the ' +
  'dashboard\'s page API keys, and send it as Authorization: Bearer KEY"';

/** Path of the document that names the identity provider. */
export const RESOURCE_METADATA = '.well-known/oauth-protected-resource';

/** Answers errors as everywhere, and a missing credential with the way to one. */
@Catch()
export class KeyChallengeFilter implements ExceptionFilter {
  private readonly challenge: string;

  constructor(
    private readonly errors: ErrorFilter,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const isByProvider = tokenResourceOf(settings) !== null;
    const document = `${settings.PUBLIC_URL.replace(/\/$/, '')}/${RESOURCE_METADATA}/mcp`;
    this.challenge = isByProvider ? `${KEY_CHALLENGE}, resource_metadata="${document}"` : KEY_CHALLENGE;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    if (replyTo(error).status === 401)
      host.switchToHttp().getResponse<Response>().setHeader('WWW-Authenticate', this.challenge);
    this.errors.catch(error, host);
  }
}
