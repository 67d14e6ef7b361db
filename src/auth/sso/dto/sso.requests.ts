import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

export class BeginSsoRequest {
  @ApiProperty({
    required: false,
    type: 'integer',
    nullable: true,
    minimum: 1024,
    maximum: 65535,
    description:
      'Port on which a program waits at `http://127.0.0.1:{port}/callback`; without it the dashboard waits.',
    example: 49152,
  })
  @IsOptional()
  @IsInt()
  @Min(1024)
  @Max(65535)
  loopback_port?: number | null;
}

export class FinishSsoRequest {
  @ApiProperty({ maxLength: 4000, example: 'eyJhbGciOi...' })
  @IsString()
  @MaxLength(4000)
  flow: string;

  @ApiProperty({
    maxLength: 8000,
    description: 'Query of the address to which the provider sent the browser.',
    example: 'code=9f2c&state=5d1e',
  })
  @IsString()
  @MaxLength(8000)
  query: string;
}
