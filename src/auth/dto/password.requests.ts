import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { NewPassword } from './new-password.property.js';
import { TextField } from '../../http/request-fields.js';

export class ChangePasswordRequest {
  @ApiProperty({ format: 'password', example: 'Correct-Horse-7' })
  @IsString()
  current_password: string;

  @NewPassword()
  new_password: string;
}

export class ResetPasswordRequest {
  @TextField({
    max: 200,
    description: 'From the one-time link.',
    example: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0Vniavfj5eLjw0',
  })
  token: string;

  @NewPassword()
  new_password: string;
}
