import { ApiProperty } from '@nestjs/swagger';
import type { BrokenRule } from '../errors/domain-error.js';
import { FieldError, fieldErrorsOf } from '../http/error-body.js';
import type { UsageReceipt } from './usage-reports.service.js';

export class UsageReceiptResponse {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of accepted entries.', example: 1 })
  accepted: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description:
      "Number of counted entries. The others are about models whose usage is already known from the agent's spans " +
      'or metrics.',
    example: 1,
  })
  counted: number;

  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: 1,
    description:
      'Only if the agent has reported more models than are counted by name: number of entries counted as the model ' +
      '`other`.',
    example: 2,
  })
  counted_as_other?: number;

  @ApiProperty({
    required: false,
    type: [FieldError],
    description: 'Only if entries were skipped: the rules that they break.',
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
