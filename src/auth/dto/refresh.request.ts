import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';

export class RefreshRequest {
  @ApiProperty({
    description: 'From registration, login or the refresh before; good for seven days, and for one use.',
    example: 'eyJhbGciOi...',
  })
  @IsString()
  refresh_token: string;
}
