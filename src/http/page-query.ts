import type { PageRequest } from '../database/page.js';
import { InvalidError } from '../errors/domain-error.js';
import { FlagParameter, IdField, WholeNumberParameter } from './request-fields.js';

/** Maximum `skip`. PostgreSQL's OFFSET accepts more, but no client pages that far. */
export const MAXIMUM_SKIP = 2_147_483_647;

/** The query of a list, without the size of a page. */
export abstract class PageQuery {
  @WholeNumberParameter({
    min: 0,
    max: MAXIMUM_SKIP,
    optional: true,
    default: 0,
    description: 'Number of items to skip, in the order of the list.',
  })
  skip: number = 0;

  @FlagParameter({
    optional: true,
    default: false,
    description: 'Counts all matching items, in the header `X-Total-Count`. Slow for many items.',
  })
  include_total: boolean = false;
}

/** The size of a page. */
export const PageLimit = (usual: number, max: number) =>
  WholeNumberParameter({
    min: 1,
    max,
    optional: true,
    default: usual,
  });

export const BEFORE =
  'The items after this one in the list, as set by `Link`: none is skipped if others are deleted. Not with ' +
  '`skip`.';

/** Paging of resources: agents, deployments, keys, users. */
export class ResourcePageQuery extends PageQuery {
  @PageLimit(50, 100)
  limit: number = 50;

  @IdField({ optional: true, description: BEFORE })
  before?: string;
}

/** Paging of records that accumulate: events, commands, deliveries, logs, metrics, the audit log. */
export class HistoryPageQuery extends PageQuery {
  @PageLimit(100, 500)
  limit: number = 100;

  @IdField({ optional: true, description: BEFORE })
  before?: string;
}

/** @throws InvalidError where both `skip` and `before` are given */
export function pageRequest({
  skip,
  before,
  limit,
  include_total: includeTotal,
}: PageQuery & { readonly limit: number; readonly before?: string | number }): PageRequest {
  if (before !== undefined && skip > 0)
    throw InvalidError.of('before', 'not_allowed', 'before must not be given together with skip');
  return { skip, before: before?.toString(), limit, includeTotal };
}
