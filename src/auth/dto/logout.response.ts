import { ApiProperty } from '@nestjs/swagger';

export class LogoutResponse {
  @ApiProperty({ example: 'Successfully logged out' })
  message: string;
}
