import { ProjectParameter } from '../../http/request-fields.js';

export class OverviewQuery {
  @ProjectParameter()
  project_id?: string;
}
