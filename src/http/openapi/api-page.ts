import type { Type } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { responseHeader } from './response-headers.js';

/** Headers of a list of which any page can be asked for. */
export const PAGE_HEADERS = {
  Link: responseHeader('NextPage'),
  'X-Total-Count': responseHeader('TotalCount'),
};

/** Documents a list of which any page can be asked for; `PageInterceptor` sets its headers. */
export const ApiPageOf = (item: Type) => ApiOkResponse({ type: item, isArray: true, headers: PAGE_HEADERS });

/** Documents a list that is read onwards, oldest first: it is never counted. */
export const ApiFeedOf = (item: Type) =>
  ApiOkResponse({ type: item, isArray: true, headers: { Link: PAGE_HEADERS.Link } });

/** Documents a part of a list that comes inside an object. */
export const ApiWrappedPage = (body: Type) => ApiOkResponse({ type: body, headers: PAGE_HEADERS });
