import type { PageRequest } from '../database/page.js';
import { FlagParameter, WholeNumberParameter } from './request-fields.js';

/** Maximum `skip`. PostgreSQL's OFFSET accepts more, but no client pages that far. */
const MAXIMUM_SKIP = 2_147_483_647;

abstract class PageQuery {
  @WholeNumberParameter({
    min: 0,
    max: MAXIMUM_SKIP,
    optional: true,
    default: 0,
    description: 'How many of the newest items to leave out.',
  })
  skip: number = 0;

  @FlagParameter({
    optional: true,
    default: false,
    description:
      'Count all items that match, in the header `X-Total-Count`. The more there are, the more it costs.',
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

/** Paging of resources: agents, deployments, keys, users. */
export class ResourcePageQuery extends PageQuery {
  @PageLimit(50, 100)
  limit: number = 50;
}

/** Paging of records that accumulate: events, logs, metrics, deliveries. */
export class HistoryPageQuery extends PageQuery {
  @PageLimit(100, 500)
  limit: number = 100;
}

export function pageRequest(query: ResourcePageQuery | HistoryPageQuery): PageRequest {
  return { skip: query.skip, limit: query.limit, includeTotal: query.include_total };
}
