import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';

/** A password that is being chosen. */
export const NewPassword = () =>
  applyDecorators(
    ApiProperty({
      format: 'password',
      minLength: 8,
      maxLength: 72,
      description:
        'At least 8 characters and at most 72 bytes of UTF-8, with an uppercase letter, a lowercase letter, a number ' +
        "and a special character; none of the most common passwords, not of words of this service alone, and without the email's name.",
      example: 'Correct-Horse-7',
    }),
    IsString(),
  );
