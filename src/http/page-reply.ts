import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { requestOf, responseOf } from '../access/http-context.js';
import { PAGE_BYTES } from '../budget/list-limits.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { type NextPart, Page } from '../database/page.js';
import { pathOf } from '../http-server/public-address.js';
import { responseHeader } from './openapi/property-schemas.js';

/** Headers of a list of which any page can be asked for. */
export const PAGE_HEADERS = {
  Link: responseHeader('NextPage'),
  'X-Total-Count': responseHeader('TotalCount'),
};

/** The route answers a {@link Page} of a list of which any page can be asked for. */
export const PageOf = (item: Type) =>
  applyDecorators(SendsPage(), ApiOkResponse({ type: item, isArray: true, headers: PAGE_HEADERS }));

/** The route answers a {@link Page} of a list that is read onwards, oldest first, and never counted. */
export const FeedOf = (item: Type) =>
  applyDecorators(
    SendsPage(),
    ApiOkResponse({ type: item, isArray: true, headers: { Link: PAGE_HEADERS.Link } }),
  );

/** The route answers a {@link Page} inside an object. */
export const WrappedPage = (body: Type) =>
  applyDecorators(SendsPage(), ApiOkResponse({ type: body, headers: PAGE_HEADERS }));

/** Sends a {@link Page}; the routes that answer none have no interceptor, of which Nest makes a dozen objects of rxjs for each request. */
export const SendsPage = () => UseInterceptors(PageInterceptor);

/**
 * Answers a {@link Page} with its items, its headers, and no more than 2 MiB: a page that is larger ends early, and `Link` says how
 * to continue. Its first item is sent in any case.
 */
@Injectable()
class PageInterceptor implements NestInterceptor {
  /** A proxy that strips a prefix leaves it out of the request; the link from outside needs it. */
  private readonly prefix: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.prefix = pathOf(settings.PUBLIC_URL);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        map((reply: unknown) =>
          reply instanceof Page ? textOf(reply, this.prefix, requestOf(context), responseOf(context)) : reply,
        ),
      );
  }
}

/** The JSON of a page. */
function textOf(whole: Page<unknown>, prefix: string, request: Request, response: Response): string {
  const text = JSON.stringify(whole.body);
  const page = Buffer.byteLength(text) > PAGE_BYTES ? whole.first(itemsWithin(whole)) : whole;
  describe(page, prefix, request, response);
  response.type('json');
  return page === whole ? text : JSON.stringify(page.body);
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
  const next: NextPart = page.next ?? { parameter: 'skip', value: String(skipped) };
  if (next.parameter !== 'skip') url.searchParams.delete('skip');
  for (const [parameter, value] of Object.entries({ [next.parameter]: next.value, ...next.also }))
    url.searchParams.set(parameter, value);
  response.setHeader('Link', `<${prefix}${url.pathname}${url.search}>; rel="next"`);
}
