import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { Taken, TextField } from '../../http/request-fields.js';

export const NewPassword = () =>
  applyDecorators(
    ApiProperty({
      format: 'password',
      minLength: 8,
      maxLength: 72,
      description:
        'At least 8 characters and at most 72 bytes of UTF-8, with an uppercase and a lowercase letter, a digit and a ' +
        "special character. Common passwords, the service's own words and the name in the email address are refused.",
      example: 'Correct-Horse-7',
    }),
    Taken(),
    IsString(),
  );

export class ChangePasswordRequest {
  @ApiProperty({ format: 'password', example: 'Correct-Horse-7' })
  @Taken()
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
