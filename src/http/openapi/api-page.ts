import type { Type } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';

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

/** A list: a plain array, and the headers that lead through it. */
export const ApiPageOf = (item: Type) => ApiOkResponse({ type: item, isArray: true, headers: pageHeaders });

/** A list that is read onwards, oldest first: it is never counted. */
export const ApiFeedOf = (item: Type) =>
  ApiOkResponse({ type: item, isArray: true, headers: { Link: pageHeaders.Link } });

/** A part of a list that comes inside an object. */
export const ApiWrappedPage = (body: Type) => ApiOkResponse({ type: body, headers: pageHeaders });
