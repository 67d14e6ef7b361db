import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Matches, ValidateNested } from 'class-validator';
import { isRecord } from '../../http/json-record.js';
import { NumberField, Rule, Taken, TextField } from '../../http/request-fields.js';
import { Moment } from '../../http/time-range.js';
import { MICROS_OF_A_DOLLAR } from '../../runs/usage.response.js';
import type { NewPrice } from '../model-prices.service.js';

const MAXIMUM_NAME = 200;
const MAXIMUM_USD = 1_000_000;

const Dollars = (description: string, example?: number, optional?: true) =>
  NumberField({ min: 0, max: MAXIMUM_USD, description, example, optional });

/** Dollars for a million tokens of each bucket. */
export class TokenPrices {
  @Dollars('Input tokens that were not cached.', 3)
  input_tokens: number;

  @Dollars('Input tokens read from a cache. Default: as `input_tokens`.', 0.3, true)
  cache_read_tokens?: number;

  @Dollars('Input tokens written to a cache. Default: as `input_tokens`.', 3.75, true)
  cache_write_tokens?: number;

  @Dollars('Output, reasoning included.', 15)
  output_tokens: number;
}

export class PutModelPriceRequest {
  @TextField({
    max: MAXIMUM_NAME,
    optional: true,
    description: 'Provider of the model, as named in spans. Default: any.',
    example: 'openai',
  })
  provider?: string;

  @Matches(/^[^*]*\*?$/, { message: 'model may have a * only at its end' })
  @TextField({
    min: 1,
    max: MAXIMUM_NAME,
    description: 'Name of the model; a `*` at its end matches any suffix.',
    example: 'our-model-*',
  })
  model: string;

  // The last one of a property's types counts, and `Taken` has no type; decorators are applied from below.
  @Type(() => TokenPrices)
  @ApiProperty({ type: TokenPrices, description: 'Dollars per million tokens.' })
  @Taken()
  @Rule('isGiven', isRecord, (name) => `${name} must be an object`)
  @ValidateNested()
  usd_per_million: TokenPrices;

  @Moment('Applies to calls from this time on, until a later price. Default: now.')
  valid_from?: Date;
}

export function priceOf(body: PutModelPriceRequest): NewPrice {
  const { input_tokens: input, output_tokens: output, ...cache } = body.usd_per_million;
  const micros = (usd: number) => Math.round(usd * MICROS_OF_A_DOLLAR);
  return {
    provider: body.provider ?? '',
    model: body.model,
    inputMicros: micros(input),
    cacheReadMicros: micros(cache.cache_read_tokens ?? input),
    cacheWriteMicros: micros(cache.cache_write_tokens ?? input),
    outputMicros: micros(output),
    validFrom: (body.valid_from ?? new Date()).toISOString(),
  };
}
