import { PageLimit } from '../../http/page-query.js';
import { Until } from '../../http/time-range.js';

export class AgentTimelineQuery {
  @Until()
  until?: Date;

  @PageLimit(50, 100)
  limit: number = 50;
}
