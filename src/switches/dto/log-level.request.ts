import { ChoiceField } from '../../http/request-fields.js';
import { Moment } from '../../http/time-range.js';
import { LOG_LEVELS, type LogLevel } from '../log-levels.js';

export class PutLogLevelRequest {
  @ChoiceField(LOG_LEVELS, { enumName: 'LogLevelOfService', example: 'debug' })
  level: LogLevel;

  @Moment('The end, within 24 hours. Default: in an hour.')
  until?: Date;
}
