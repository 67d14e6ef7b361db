import { ApiProperty } from '@nestjs/swagger';
import type { TokenPair } from '../tokens.service.js';

const EXAMPLE_TOKEN = 'eyJhbGciOi...';

export class TokensResponse {
  @ApiProperty({
    description: 'Valid for `expires_in` seconds. Send it as `Authorization: Bearer`.',
    example: EXAMPLE_TOKEN,
  })
  access_token: string;

  @ApiProperty({
    description: 'Gets new tokens at `POST /auth/refresh`, once, within seven days.',
    example: EXAMPLE_TOKEN,
  })
  refresh_token: string;

  @ApiProperty({ enum: ['bearer'], example: 'bearer' })
  token_type: 'bearer';

  @ApiProperty({ type: 'integer', example: 1800 })
  expires_in: number;
}

export function toTokensResponse(tokens: TokenPair): TokensResponse {
  return {
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    token_type: 'bearer',
    expires_in: tokens.expiresInSeconds,
  };
}

export class LogoutResponse {
  @ApiProperty({ example: 'Successfully logged out' })
  message: string;
}

export class PasswordResetResponse {
  @ApiProperty({ example: 'Password set' })
  message: string;
}
