import { ApiProperty } from '@nestjs/swagger';
import type { User } from './user.types.js';

export class UserResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  id: string;

  @ApiProperty({ format: 'email', description: 'In lower case.', example: 'ada@example.com' })
  email: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  name: string | null;

  @ApiProperty({ description: 'False: every request of this account is refused.', example: true })
  is_active: boolean;

  @ApiProperty({ description: 'An operator.', example: false })
  is_admin: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When an operator last created a password link for this account. Null: not in the last 30 days, or the ' +
      'password was changed since.',
    example: null,
  })
  password_reset_at: string | null;

  @ApiProperty({
    description: 'Whether a login with the password also asks for a second factor.',
    example: true,
  })
  has_second_factor: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  updated_at: string;
}

/** Time for which people read that an operator has made a link to set their password. */
const RESET_TOLD_MS = 30 * 24 * 60 * 60_000;

function toldReset({ passwordResetAt: at }: User): string | null {
  return at !== null && Date.parse(at) > Date.now() - RESET_TOLD_MS ? at : null;
}

export function toUserResponse(user: User): UserResponse {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    is_active: user.isActive,
    is_admin: user.isAdmin,
    password_reset_at: toldReset(user),
    has_second_factor: user.hasSecondFactor,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  };
}
