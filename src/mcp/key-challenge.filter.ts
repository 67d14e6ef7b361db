import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { replyTo } from '../http/error-table.js';
import { ErrorFilter } from '../http/error.filter.js';

/** Tells the person behind an assistant, which shows it, how to get a credential. */
export const KEY_CHALLENGE =
  'Bearer realm="Agent control plane", ' +
  'error_description="Make an API key with svc api-keys create, or on the page API keys of the dashboard, ' +
  'and send it as Authorization: Bearer KEY"';

/** Answers errors as everywhere, and a missing credential with the way to one. */
@Catch()
export class KeyChallengeFilter implements ExceptionFilter {
  constructor(private readonly errors: ErrorFilter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    if (replyTo(error).status === 401)
      host.switchToHttp().getResponse<Response>().setHeader('WWW-Authenticate', KEY_CHALLENGE);
    this.errors.catch(error, host);
  }
}
