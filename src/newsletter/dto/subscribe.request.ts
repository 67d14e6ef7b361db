import { EmailField, TextField, Trimmed } from '../../http/request-fields.js';

export class SubscribeRequest {
  @Trimmed()
  @EmailField({ description: 'Stored as typed, compared without regard to case.' })
  email: string;

  @Trimmed()
  @TextField({
    max: 100,
    optional: true,
    nullable: true,
    description: 'Where the person signed up.',
    example: 'landing-page',
  })
  source?: string | null;
}
