import type { Request, Response } from 'express';
import type { Page } from '../database/page.js';

/** Sets `Link: rel="next"` while more rows follow, and `X-Total-Count` if they were counted. */
export function describePage(page: Page<unknown>, request: Request, response: Response): void {
  // A history knows its total without counting; the header is sent only on request.
  if (page.total !== undefined && request.query.include_total === 'true')
    response.setHeader('X-Total-Count', String(page.total));
  if (!page.hasMore) return;
  const url = new URL(request.originalUrl, 'http://localhost');
  const skipped = Number(url.searchParams.get('skip') ?? 0) + page.items.length;
  const { parameter, value } = page.next ?? { parameter: 'skip', value: String(skipped) };
  url.searchParams.set(parameter, value);
  response.setHeader('Link', `<${url.pathname}${url.search}>; rel="next"`);
}
