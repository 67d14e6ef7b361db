import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, MaxLength } from 'class-validator';
import { CanonicalEmail } from '../../http/canonical-email.js';
import { Trimmed } from '../../http/trimmed.js';
import { TextField } from '../../http/request-fields.js';

export class InviteUserRequest {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.com' })
  @CanonicalEmail()
  @IsEmail()
  @MaxLength(254)
  email: string;

  @Trimmed()
  @TextField({ max: 200, optional: true, nullable: true, example: 'Ada Lovelace' })
  name?: string | null;
}
