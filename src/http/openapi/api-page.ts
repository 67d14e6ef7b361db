import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOkResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { ApiErrors } from './api-errors.js';

const pageHeaders = {
  Link: {
    description: '`<...>; rel="next"` while more items may follow.',
    schema: { type: 'string' as const },
    required: false,
  },
  'X-Total-Count': {
    description: 'How many items match, when `include_total=true`.',
    schema: { type: 'integer' as const },
    required: false,
  },
};

const documentedPage = (response: ApiResponseOptions) =>
  applyDecorators(
    ApiOkResponse(response),
    ApiErrors({
      422: 'A value breaks a rule, or there is too much to search, count or skip; `message` names what to change.',
      503:
        'The database is away, the service is starting, ending or overloaded, or too many searches and counts are ' +
        'under way.',
    }),
  );

/** Documents a list of which any page can be asked for; `PageInterceptor` sets its headers. */
export const ApiPageOf = (item: Type) => documentedPage({ type: item, isArray: true, headers: pageHeaders });

/** Documents a list that is read onwards, oldest first: it is never counted. */
export const ApiFeedOf = (item: Type) =>
  ApiOkResponse({ type: item, isArray: true, headers: { Link: pageHeaders.Link } });

/** Documents a part of a list that comes inside an object. */
export const ApiWrappedPage = (body: Type) => documentedPage({ type: body, headers: pageHeaders });
