import { ApiProperty } from '@nestjs/swagger';

export class SubscribedResponse {
  @ApiProperty({ enum: [true], description: 'The address is subscribed.' })
  success: true;

  @ApiProperty({ description: 'Text for the person who signed up.', example: 'You are subscribed' })
  message: string;

  @ApiProperty({ description: 'Whether the address was subscribed before.', example: false })
  duplicate: boolean;
}

export class SubscriberCountResponse {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1_204 })
  count: number;
}

export function toSubscribedResponse(isNew: boolean): SubscribedResponse {
  return {
    success: true,
    message: isNew ? 'You are subscribed' : 'You are already subscribed',
    duplicate: !isNew,
  };
}
