import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PAGE_BYTES } from '../budget/list-limits.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Page } from '../database/page.js';
import { pathOf } from '../http-server/public-address.js';
import { PageTexts } from './page-reply.js';

@Injectable()
export class BoundedPageTexts extends PageTexts {
  /** A proxy that strips a prefix leaves it out of the request; the link from outside needs it. */
  private readonly prefix: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    super();
    this.prefix = pathOf(settings.PUBLIC_URL);
  }

  textOf(whole: Page<unknown>, request: Request, response: Response): string {
    const text = JSON.stringify(whole.body);
    const page = Buffer.byteLength(text) > PAGE_BYTES ? whole.first(itemsWithin(whole)) : whole;
    describe(page, this.prefix, request, response);
    response.type('json');
    return page === whole ? text : JSON.stringify(page.body);
  }
}

/** The number of items for which a reply has room. */
function itemsWithin(page: Page<unknown>): number {
  let bytes = Buffer.byteLength(JSON.stringify(page.first(0).body));
  const beyond = page.items.findIndex((item) => {
    // The comma counts, too.
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > PAGE_BYTES;
  });
  return Math.max(beyond, 1);
}

/** Sets `Link: rel="next"` while more items follow, and `X-Total-Count` if they were counted. */
function describe(page: Page<unknown>, prefix: string, request: Request, response: Response): void {
  // A history knows its total without counting; the header is sent only on request.
  if (page.total !== undefined && request.query.include_total === 'true')
    response.setHeader('X-Total-Count', String(page.total));
  if (!page.hasMore) return;
  const url = new URL(request.originalUrl, 'http://localhost');
  const skipped = Number(url.searchParams.get('skip') ?? 0) + page.items.length;
  if (page.next) url.searchParams.delete('skip');
  for (const [parameter, value] of Object.entries(page.next ?? { skip: String(skipped) }))
    url.searchParams.set(parameter, value);
  response.setHeader('Link', `<${prefix}${url.pathname}${url.search}>; rel="next"`);
}
