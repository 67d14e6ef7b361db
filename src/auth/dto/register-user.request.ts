import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsOptional, IsString, MaxLength } from 'class-validator';
import { Trimmed } from '../../http/trimmed.js';

export class RegisterUserRequest {
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

  @ApiProperty({
    format: 'password',
    minLength: 8,
    maxLength: 72,
    description:
      'At least 8 characters and at most 72 bytes of UTF-8, with an uppercase letter, a lowercase letter, a number ' +
      'and a special character.',
    example: 'Correct-Horse-7',
  })
  @IsString()
  password: string;

  @ApiProperty({ required: false, type: 'string', nullable: true, maxLength: 200, example: 'Ada Lovelace' })
  @Trimmed()
  @IsOptional()
  @IsString()
  @MaxLength(200)
  name?: string | null;
}
