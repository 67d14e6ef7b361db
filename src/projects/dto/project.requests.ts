import { ResourcePageQuery } from '../../http/page-query.js';
import { FlagParameter, NameField, TextField, Trimmed } from '../../http/request-fields.js';

const NAME = { min: 1, max: 100, example: 'Invoices' };

export class ListProjectsQuery extends ResourcePageQuery {
  @TextField({ max: 100, optional: true, description: 'Part of the name, in any case.' })
  q?: string;

  @FlagParameter({ optional: true, default: false, description: "Everybody's projects; for operators only." })
  all?: boolean;
}

export class CreateProjectRequest {
  @Trimmed()
  @NameField({ ...NAME, description: 'Two projects may have the same one.' })
  name: string;
}

/** Absent properties keep their values. */
export class UpdateProjectRequest {
  @Trimmed()
  @NameField({ ...NAME, optional: 'not null' })
  name?: string;
}
