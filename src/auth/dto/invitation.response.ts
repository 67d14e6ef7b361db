import { ApiProperty } from '@nestjs/swagger';
import { toUserResponse, UserResponse } from '../../users/user.response.js';
import type { Invitation } from '../invitations.service.js';

export class InvitationResponse {
  @ApiProperty({ type: UserResponse })
  user: UserResponse;

  @ApiProperty({
    description: 'Sets a password at `POST /auth/password-reset`, once. It is shown only once.',
    example: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0Vniavfj5eLjw0',
  })
  token: string;

  @ApiProperty({
    description: "The dashboard's page that asks for the password. Append it to the dashboard's address.",
    example: '/set-password#3q2-7w...',
  })
  path: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-03T09:30:00.000Z' })
  expires_at: string;
}

/** The token is in the fragment of the address, which browsers don't send, so no log contains it. */
export function toInvitationResponse({ user, link }: Invitation): InvitationResponse {
  return {
    user: toUserResponse(user),
    token: link.token,
    path: `/set-password#${link.token}`,
    expires_at: link.expiresAt,
  };
}
