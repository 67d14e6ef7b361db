import { PageLimit, PageQuery } from '../../http/page-query.js';

/** Paging of spans: a run of thousands is drawn at once. */
export class ListSpansQuery extends PageQuery {
  @PageLimit(1_000, 5_000)
  limit: number = 1_000;
}
