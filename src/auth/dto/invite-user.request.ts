import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsOptional, IsString, MaxLength } from 'class-validator';
import { CanonicalEmail } from '../../http/canonical-email.js';
import { Trimmed } from '../../http/trimmed.js';

export class InviteUserRequest {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.com' })
  @CanonicalEmail()
  @IsEmail()
  @MaxLength(254)
  email: string;

  @ApiProperty({ required: false, type: 'string', nullable: true, maxLength: 200, example: 'Ada Lovelace' })
  @Trimmed()
  @IsOptional()
  @IsString()
  @MaxLength(200)
  name?: string | null;
}
