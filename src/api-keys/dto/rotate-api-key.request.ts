import { WholeNumberField } from '../../http/request-fields.js';

/** None is needed. */
export class RotateApiKeyRequest {
  @WholeNumberField({
    min: 0,
    max: 86_400,
    optional: true,
    default: 0,
    description: 'For how many seconds the old key still works beside the new one.',
    example: 3_600,
  })
  grace_period_seconds?: number;
}
