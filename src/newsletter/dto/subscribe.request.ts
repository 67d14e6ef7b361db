import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsOptional, IsString, MaxLength } from 'class-validator';
import { Trimmed } from '../../http/trimmed.js';

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

  @ApiProperty({
    required: false,
    type: String,
    nullable: true,
    maxLength: 100,
    description: 'Where the sign-up comes from.',
    example: 'landing-page',
  })
  @Trimmed()
  @IsOptional()
  @IsString()
  @MaxLength(100)
  source?: string | null;
}
