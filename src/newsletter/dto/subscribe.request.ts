import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, MaxLength } from 'class-validator';
import { Trimmed } from '../../http/trimmed.js';
import { TextField } from '../../http/request-fields.js';

export class SubscribeRequest {
  @ApiProperty({
    format: 'email',
    maxLength: 254,
    description: 'Kept as typed, compared without regard to case.',
    example: 'ada@example.com',
  })
  @Trimmed()
  @IsEmail()
  @MaxLength(254)
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
