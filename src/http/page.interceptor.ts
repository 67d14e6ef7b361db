import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Page } from '../database/page.js';

/** Sends a {@link Page}: its rows, `Link: rel="next"` while more follow, `X-Total-Count` if they were counted. */
@Injectable()
export class PageInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((result: unknown) => {
        if (!(result instanceof Page)) return result;
        const http = context.switchToHttp();
        this.describe(result, http.getRequest<Request>(), http.getResponse<Response>());
        return result.body;
      }),
    );
  }

  private describe(page: Page<unknown>, request: Request, response: Response): void {
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
}
