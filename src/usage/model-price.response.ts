import { ApiProperty } from '@nestjs/swagger';
import { dollarsOf } from '../runs/usage.response.js';
import type { ModelPriceEntity } from './model-price.entity.js';

const DollarsProperty = (example: string) => ApiProperty({ description: 'Dollars.', example });

export class TokenPricesResponse {
  @DollarsProperty('3.000000')
  input_tokens: string;

  @DollarsProperty('0.300000')
  cache_read_tokens: string;

  @DollarsProperty('3.750000')
  cache_write_tokens: string;

  @DollarsProperty('15.000000')
  output_tokens: string;
}

export class ModelPriceResponse {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null: any provider.',
    example: 'openai',
  })
  provider: string | null;

  @ApiProperty({
    description: 'Name of the model; a `*` at its end matches any suffix.',
    example: 'our-model-*',
  })
  model: string;

  @ApiProperty({ type: TokenPricesResponse, description: 'Dollars per million tokens.' })
  usd_per_million: TokenPricesResponse;

  @ApiProperty({
    format: 'date-time',
    description: 'Applies to calls from this time on, until a later price.',
  })
  valid_from: string;

  @ApiProperty({
    description: 'Who set it: `user:<id>` or `key:<id>`.',
    example: 'user:0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  created_by: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export function toModelPriceResponse(price: ModelPriceEntity): ModelPriceResponse {
  return {
    id: price.id,
    provider: price.provider === '' ? null : price.provider,
    model: price.model,
    usd_per_million: {
      input_tokens: dollarsOf(price.inputMicros),
      cache_read_tokens: dollarsOf(price.cacheReadMicros),
      cache_write_tokens: dollarsOf(price.cacheWriteMicros),
      output_tokens: dollarsOf(price.outputMicros),
    },
    valid_from: price.validFrom,
    created_by: price.createdBy,
    created_at: price.createdAt,
  };
}
