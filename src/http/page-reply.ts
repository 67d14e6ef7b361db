import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { requestOf, responseOf } from '../access/http-context.js';
import { Page } from '../database/page.js';

/** Headers of a list of which any page can be asked for. */
export const PAGE_HEADERS = {
  Link: { $ref: '#/components/headers/NextPage' },
  'X-Total-Count': { $ref: '#/components/headers/TotalCount' },
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

/** Writes pages as the texts of replies. It is the injection token of `BoundedPageTexts`. */
export abstract class PageTexts {
  /**
   * Sets the headers of a page, and returns its JSON, of no more than 2 MiB: a page that is larger ends early, and `Link` says how
   * to continue. Its first item is sent in any case.
   */
  abstract textOf(page: Page<unknown>, request: Request, response: Response): string;
}

@Injectable()
class PageInterceptor implements NestInterceptor {
  constructor(private readonly texts: PageTexts) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        map((reply: unknown) =>
          reply instanceof Page ? this.texts.textOf(reply, requestOf(context), responseOf(context)) : reply,
        ),
      );
  }
}
