import { applyDecorators } from '@nestjs/common';
import { EmailField, NameField, TextField, Trimmed, CanonicalEmail } from '../../http/request-fields.js';

/** Optional text; empty and null count as absent. */
const Optional = (Kind: typeof TextField, max: number, description: string, example: string) =>
  applyDecorators(Trimmed(), Kind({ max, optional: true, nullable: true, description, example }));

export class CreateLeadRequest {
  @CanonicalEmail()
  @EmailField()
  email: string;

  @Optional(NameField, 200, 'Who asks.', 'Ada Lovelace')
  name?: string | null;

  @Optional(NameField, 200, 'For whom.', 'Analytical Engines')
  company?: string | null;

  @Optional(TextField, 5_000, 'What it is about.', 'We would like to run two hundred agents.')
  message?: string | null;

  @Optional(NameField, 100, 'Where the request comes from.', 'pricing-page')
  source?: string | null;
}
