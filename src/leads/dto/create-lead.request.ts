import { applyDecorators } from '@nestjs/common';
import { CanonicalEmail } from '../../http/canonical-email.js';
import { EmailField, TextField, Trimmed } from '../../http/request-fields.js';

/** Optional text; empty and null count as absent. */
const Text = (max: number, description: string, example: string) =>
  applyDecorators(Trimmed(), TextField({ max, optional: true, nullable: true, description, example }));

export class CreateLeadRequest {
  @CanonicalEmail()
  @EmailField()
  email: string;

  @Text(200, 'Who asks.', 'Ada Lovelace')
  name?: string | null;

  @Text(200, 'For whom.', 'Analytical Engines')
  company?: string | null;

  @Text(5_000, 'What it is about.', 'We would like to run two hundred agents.')
  message?: string | null;

  @Text(100, 'Where the request comes from.', 'pricing-page')
  source?: string | null;
}
