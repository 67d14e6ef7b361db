import { NameField } from '../../http/request-fields.js';
import { Moment } from '../../http/time-range.js';

/** Maximum length of a reason in characters. */
const MAXIMUM_REASON = 500;

export class PutMaintenanceRequest {
  @NameField({
    min: 1,
    max: MAXIMUM_REASON,
    description: 'Shown to everybody whose change is refused.',
    example: 'The database moves to another machine',
  })
  reason: string;

  @Moment('The end, in the future. Default: until somebody ends it.')
  until?: Date;
}
