import { EmailField, TextField, Trimmed } from '../../http/request-fields.js';

export class SubscribeRequest {
  @Trimmed()
  @EmailField({ description: 'Kept as typed, compared without regard to case.' })
  email: string;

  @Trimmed()
  @TextField({
    max: 100,
    optional: true,
    nullable: true,
    description: 'Where the sign-up comes from.',
    example: 'landing-page',
  })
  source?: string | null;
}
