import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import {
  EmailField,
  Taken,
  NameField,
  TextField,
  Trimmed,
  CanonicalEmail,
} from '../../http/request-fields.js';
import { NewPassword } from './password.requests.js';

export class RegisterUserRequest {
  @CanonicalEmail()
  @EmailField({ description: 'Stored and compared in lower case.' })
  email: string;

  @NewPassword()
  password: string;

  @Trimmed()
  @NameField({ max: 200, optional: true, nullable: true, example: 'Ada Lovelace' })
  name?: string | null;

  @TextField({
    min: 1,
    max: 1_000,
    optional: true,
    nullable: true,
    description: 'Makes the account the first operator; see `SETUP_TOKEN`.',
  })
  setup_token?: string | null;
}

export class LoginRequest {
  @CanonicalEmail()
  @EmailField()
  email: string;

  @ApiProperty({ format: 'password', example: 'Correct-Horse-7' })
  @Taken()
  @IsString()
  password: string;
}

export class RefreshRequest {
  @ApiProperty({
    description: 'From registration, login or the previous refresh; valid for seven days and one use.',
    example: 'eyJhbGciOi...',
  })
  @Taken()
  @IsString()
  refresh_token: string;
}
