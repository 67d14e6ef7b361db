import { PageLimit } from '../../http/page-query.js';
import { TextField } from '../../http/request-fields.js';

const LENGTH_OF_A_SPAN_ID = 16;

/** A part of a run's spans: a run of thousands is drawn at once. */
export class ListSpansQuery {
  @TextField({
    min: LENGTH_OF_A_SPAN_ID,
    max: LENGTH_OF_A_SPAN_ID,
    optional: true,
    description:
      'The spans that come after this one in the list: the `span_id` of the last one that was read.',
  })
  after?: string;

  @PageLimit(1_000, 5_000)
  limit: number = 1_000;
}
