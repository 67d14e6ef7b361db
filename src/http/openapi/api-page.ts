import { applyDecorators, type Type, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { PageInterceptor } from '../page.interceptor.js';

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

/** On these routes alone: an interceptor costs every request that it sees, and a waiting poll five kilobytes. */
const answersPage = (response: ApiResponseOptions) =>
  applyDecorators(UseInterceptors(PageInterceptor), ApiOkResponse(response));

/** A list: a plain array, and the headers that lead through it. */
export const ApiPageOf = (item: Type) => answersPage({ type: item, isArray: true, headers: pageHeaders });

/** A list that is read onwards, oldest first: it is never counted. */
export const ApiFeedOf = (item: Type) =>
  answersPage({ type: item, isArray: true, headers: { Link: pageHeaders.Link } });

/** A part of a list that comes inside an object. */
export const ApiWrappedPage = (body: Type) => answersPage({ type: body, headers: pageHeaders });
