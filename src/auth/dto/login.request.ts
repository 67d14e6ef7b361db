import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsString, MaxLength } from 'class-validator';
import { Trimmed } from '../../http/trimmed.js';

export class LoginRequest {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.com' })
  @Trimmed()
  @IsEmail()
  @MaxLength(254)
  email: string;

  @ApiProperty({ format: 'password', example: 'Correct-Horse-7' })
  @IsString()
  password: string;
}
