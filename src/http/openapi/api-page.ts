import { applyDecorators, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { CostlyPageInterceptor, PAGE_COST, type PageCost } from '../costly-page.interceptor.js';
import { PageInterceptor } from '../page.interceptor.js';
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

/** On these routes alone: an interceptor costs every request that it sees, and a waiting poll five kilobytes. */
const answersPage = (response: ApiResponseOptions) =>
  applyDecorators(UseInterceptors(PageInterceptor), ApiOkResponse(response));

/** Of a list that has an index for each of its filters. */
const COUNTED: PageCost = { filters: [], advice: 'leave include_total out, or skip less' };

/** A list that can be counted and skipped through, which costs the more the longer it is. */
const answersCountedPage = (response: ApiResponseOptions, cost: PageCost) =>
  applyDecorators(
    answersPage(response),
    SetMetadata(PAGE_COST, cost),
    UseInterceptors(CostlyPageInterceptor),
    ApiErrors({
      422: 'A value breaks a rule, or there is too much to search, count or skip; `message` names what to change.',
      503:
        'The database is away, the service is starting, ending or overloaded, or too many searches and counts are ' +
        'under way.',
    }),
  );

/** A list: a plain array, and the headers that lead through it. */
export const ApiPageOf = (item: Type, cost = COUNTED) =>
  answersCountedPage({ type: item, isArray: true, headers: pageHeaders }, cost);

/** A list that is read onwards, oldest first: it is never counted. */
export const ApiFeedOf = (item: Type) =>
  answersPage({ type: item, isArray: true, headers: { Link: pageHeaders.Link } });

/** A part of a list that comes inside an object. */
export const ApiWrappedPage = (body: Type, cost = COUNTED) =>
  answersCountedPage({ type: body, headers: pageHeaders }, cost);
