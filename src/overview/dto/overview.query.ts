import { ProjectParameter } from '../../http/project-fields.js';

export class OverviewQuery {
  @ProjectParameter()
  project_id?: string;
}
