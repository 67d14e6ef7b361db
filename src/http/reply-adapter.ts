import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { jsonTextOf } from '../database/json-text.js';
import { Page } from '../database/page.js';
import { describePage } from './page-headers.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Express, but for the replies of handlers: a {@link Page} is sent as its body and headers, and JSON in a single write.
 * Express's `json` reads five settings, parses the content type that it has just set, and sends a body of more than
 * 1,000 characters apart from its headers: a seventh of the time that a list took.
 */
export class ReplyAdapter extends ExpressAdapter {
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (body instanceof Page) {
      describePage(body, response.req, response);
      return this.reply(response, body.body, statusCode);
    }
    // Files, failures and other content types are left to Nest.
    if (!isData(body) || response.hasHeader('Content-Type')) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    return sendJson(response, body);
  }
}

/** Sends the body with the status that the response has. For replies that no handler returns. */
export function sendJson(response: Response, body: object): Response {
  const text = jsonTextOf(body);
  response.setHeader('Content-Type', JSON_TYPE);
  // Node would add it by itself, but not to the reply to a HEAD.
  response.setHeader('Content-Length', Buffer.byteLength(text));
  return response.end(text);
}

function isData(body: unknown): body is object {
  return (
    typeof body === 'object' && body !== null && !(body instanceof StreamableFile || body instanceof Error)
  );
}
