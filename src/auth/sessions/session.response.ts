import { ApiProperty } from '@nestjs/swagger';
import type { Session } from './session.types.js';

export class SessionResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  id: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-30T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Time of the login or the last refresh.',
    example: '2026-01-31T09:30:00.000Z',
  })
  last_used_at: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'IP address of the login or the last refresh.',
    example: '192.0.2.7',
  })
  address: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: '`User-Agent` of the login.',
    example: 'Mozilla/5.0',
  })
  user_agent: string | null;

  @ApiProperty({ description: 'Whether this request uses the session.', example: true })
  current: boolean;
}

/** @param currentId id of the session that makes the request */
export function toSessionResponse(session: Session, currentId: string): SessionResponse {
  return {
    id: session.id,
    created_at: session.createdAt,
    last_used_at: session.lastUsedAt,
    address: session.address,
    user_agent: session.userAgent,
    current: session.id === currentId,
  };
}
