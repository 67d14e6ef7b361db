import { PageLimit } from '../../http/page-query.js';
import { IdField } from '../../http/request-fields.js';

/** A part of a run's spans: a run of thousands is drawn at once. */
export class ListSpansQuery {
  @IdField({
    optional: true,
    description: 'The spans after this one in the list: the `id` of the last span that you have read.',
  })
  after?: string;

  @PageLimit(1_000, 5_000)
  limit: number = 1_000;
}
