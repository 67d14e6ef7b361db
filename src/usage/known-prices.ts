import { calcPrice, type Provider } from '@pydantic/genai-prices';
import { LRUCache } from 'lru-cache';
import { MICROS_OF_A_DOLLAR } from '../runs/usage.response.js';
import type { ModelPriceEntity } from './model-price.entity.js';
import type { UsageEntry } from './usage.types.js';

/** The properties that decide the price of a call. */
export type PricedCall = Pick<UsageEntry, 'provider' | 'model' | 'at' | 'tokens'>;

const TOKENS_OF_A_PRICE = 1_000_000;
/** Number of models whose prices are remembered; finding one among thousands takes a tenth of a millisecond. */
const REMEMBERED_MODELS = 1_000;

/** A provider with the one model that a name means; false: nobody knows it. */
const known = new LRUCache<string, Provider | false>({ max: REMEMBERED_MODELS });

/**
 * The price of a call by the public lists that the package holds, in millionths of a dollar.
 *
 * @returns null where they don't know the model
 */
export function listedPrice(call: PricedCall): number | null {
  const { model, at } = call;
  const provider = model === null ? false : providerOf(model, call.provider);
  if (model === null || provider === false) return null;
  const price = calcPrice(usageOf(call), model, { provider, timestamp: at });
  return price && Math.round(price.total_price * MICROS_OF_A_DOLLAR);
}

/** The price of a call by an operator's prices, the latest first, in millionths of a dollar; null: none is for it. */
export function ownPrice(prices: readonly ModelPriceEntity[], call: PricedCall): number | null {
  const { model, tokens } = call;
  if (model === null) return null;
  const price = prices.find(
    (each) =>
      isNamed(each.model, model) &&
      (each.provider === '' || each.provider === call.provider) &&
      each.validFrom <= call.at.toISOString(),
  );
  if (!price) return null;
  const micros =
    tokens.input_tokens * price.inputMicros +
    tokens.cache_read_tokens * price.cacheReadMicros +
    tokens.cache_write_tokens * price.cacheWriteMicros +
    tokens.output_tokens * price.outputMicros;
  return Math.round(micros / TOKENS_OF_A_PRICE);
}

function isNamed(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern;
}

function providerOf(model: string, providerId: string | null): Provider | false {
  const key = `${providerId ?? ''} ${model}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const found = calcPrice(
    { input_tokens: 1, output_tokens: 1 },
    model,
    providerId === null ? {} : { providerId },
  );
  const provider: Provider | false = found ? { ...found.provider, models: [found.model] } : false;
  known.set(key, provider);
  return provider;
}

/** As the package counts: the input includes what caches served and took. */
function usageOf({ tokens }: PricedCall) {
  return {
    input_tokens: tokens.input_tokens + tokens.cache_read_tokens + tokens.cache_write_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    cache_write_tokens: tokens.cache_write_tokens,
    output_tokens: tokens.output_tokens,
  };
}
