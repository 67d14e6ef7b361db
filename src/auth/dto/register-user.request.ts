import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { CanonicalEmail } from '../../http/canonical-email.js';
import { Trimmed } from '../../http/trimmed.js';
import { NewPassword } from './new-password.property.js';
import { TextField } from '../../http/request-fields.js';

export class RegisterUserRequest {
  @ApiProperty({
    format: 'email',
    maxLength: 254,
    description: 'Kept and compared in lower case.',
    example: 'ada@example.com',
  })
  @CanonicalEmail()
  @IsEmail()
  @MaxLength(254)
  email: string;

  @NewPassword()
  password: string;

  @Trimmed()
  @TextField({ max: 200, optional: true, nullable: true, example: 'Ada Lovelace' })
  name?: string | null;

  @ApiProperty({
    required: false,
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 1000,
    description: "Makes the account the first operator's; see `SETUP_TOKEN`.",
  })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(1000)
  setup_token?: string | null;
}
