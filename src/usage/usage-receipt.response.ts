import { ApiProperty } from '@nestjs/swagger';
import type { BrokenRule } from '../errors/domain-error.js';
import { FieldError, fieldErrorsOf } from '../http/error-body.js';
import type { UsageReceipt } from './usage-reports.service.js';

export class UsageReceiptResponse {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'How many entries were taken.', example: 1 })
  accepted: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description:
      'How many of them are counted. The others tell of models whose usage is known from spans or metrics of the agent, which have said it already.',
    example: 1,
  })
  counted: number;

  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: 1,
    description:
      'Only when the agent has told of more models than are counted by name: how many entries are counted as the model `other`.',
    example: 2,
  })
  counted_as_other?: number;

  @ApiProperty({
    required: false,
    type: [FieldError],
    description: 'Only when entries were passed over: the rules that they break.',
  })
  refused?: FieldError[];
}

/** @param refused the rules that the entries broke which were passed over */
export function toUsageReceiptResponse(
  { accepted, counted, countedAsOther }: UsageReceipt,
  refused: readonly BrokenRule[],
): UsageReceiptResponse {
  return {
    accepted,
    counted,
    ...(countedAsOther > 0 && { counted_as_other: countedAsOther }),
    ...(refused.length > 0 && { refused: fieldErrorsOf(refused) }),
  };
}
