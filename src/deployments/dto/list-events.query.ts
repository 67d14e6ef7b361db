import { HistoryPageQuery } from '../../http/page-query.js';
import { Since, Until } from '../../http/time-range.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../../lifecycle/deployment-lifecycle.js';
import { ChoiceField, TextField } from '../../http/request-fields.js';

export class ListEventsQuery extends HistoryPageQuery {
  @TextField({ max: 64, optional: true, description: 'Only events of this type.', example: 'scale' })
  event_type?: string;

  @ChoiceField(DEPLOYMENT_STATUSES, { optional: true, description: 'Only events that led to this status.' })
  status?: DeploymentStatus;

  @Since()
  since?: Date;

  @Until()
  until?: Date;
}
