import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsString, MaxLength } from 'class-validator';
import { CanonicalEmail } from '../../http/canonical-email.js';

export class LoginRequest {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.com' })
  @CanonicalEmail()
  @IsEmail()
  @MaxLength(254)
  email: string;

  @ApiProperty({ format: 'password', example: 'Correct-Horse-7' })
  @IsString()
  password: string;
}
