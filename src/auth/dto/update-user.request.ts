import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, ValidateIf } from 'class-validator';

/** Absent keeps; null is no value of these. */
const UnlessAbsent = () => ValidateIf((_, value) => value !== undefined);

export class UpdateUserRequest {
  @ApiProperty({
    required: false,
    description:
      'False locks the account out, ends its sessions for good, and refuses its user API keys. Its agents keep running.',
    example: false,
  })
  @UnlessAbsent()
  @IsBoolean()
  is_active?: boolean;

  @ApiProperty({ required: false, description: 'Whether the account is an operator.', example: true })
  @UnlessAbsent()
  @IsBoolean()
  is_admin?: boolean;

  @ApiProperty({
    required: false,
    description: "Only with `is_active: false`: stops the account's agents, too.",
    example: true,
  })
  @UnlessAbsent()
  @IsBoolean()
  stop_agents?: boolean;
}
