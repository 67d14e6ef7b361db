import { calcPrice, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import { LRUCache } from 'lru-cache';
import { MICROS_OF_A_DOLLAR } from '../runs/usage.response.js';
import type { ModelPriceEntity } from './model-price.entity.js';
import type { UsageEntry } from './usage.types.js';

/** The properties that decide the price of a call. */
export type PricedCall = Pick<UsageEntry, 'provider' | 'model' | 'at' | 'tokens'>;

const TOKENS_OF_A_PRICE = 1_000_000;
/** Number of models whose prices are remembered; finding one among thousands takes a tenth of a millisecond. */
const REMEMBERED_MODELS = 1_000;

/** The prices of the model that a name means. */
interface KnownPrices {
  /** The provider with this one model. */
  readonly provider: Provider;
  /**
   * Dollars for a call without tokens, and for a million of each bucket; null: the price depends on the time of the call, or on its
   * length. The package takes 16 microseconds a call, more than anything else that is done with a span.
   */
  readonly flat: { readonly call: number; readonly millions: readonly number[] } | null;
}

/** The prices by provider and name; false: nobody knows the model. */
const known = new LRUCache<string, KnownPrices | false>({ max: REMEMBERED_MODELS });
const BUCKETS = ['input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens'] as const;
const NO_TOKENS = {
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};

/**
 * The price of a call by the public lists that the package holds, in millionths of a dollar.
 *
 * @returns null where they don't know the model
 */
export function listedPrice(call: PricedCall): number | null {
  const { model, at, tokens } = call;
  const prices = model === null ? false : pricesOf(model, call.provider);
  if (model === null || prices === false) return null;
  const { provider, flat } = prices;
  if (!flat) {
    const price = calcPrice(usageOf(call), model, { provider, timestamp: at });
    return price && Math.round(price.total_price * MICROS_OF_A_DOLLAR);
  }
  const ofTokens = BUCKETS.reduce((sum, bucket, index) => sum + tokens[bucket] * flat.millions[index]!, 0);
  return Math.round(flat.call * MICROS_OF_A_DOLLAR + ofTokens);
}

/** The price of a call by an operator's prices, the latest first, in millionths of a dollar; null: none is for it. */
export function ownPrice(prices: readonly ModelPriceEntity[], call: PricedCall): number | null {
  const { model, tokens } = call;
  if (model === null) return null;
  const at = call.at.toISOString();
  const price = prices.find(
    (each) =>
      each.validFrom <= at &&
      (each.provider === '' || each.provider === call.provider) &&
      isNamed(each.model, model),
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

function pricesOf(model: string, providerId: string | null): KnownPrices | false {
  const key = `${providerId ?? ''} ${model}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const found = calcPrice(
    { input_tokens: 1, output_tokens: 1 },
    model,
    providerId === null ? {} : { providerId },
  );
  const provider = found && { ...found.provider, models: [found.model] };
  const prices = provider && { provider, flat: isFlat(found.model) ? flatPrices(model, provider) : null };
  known.set(key, prices ?? false);
  return prices ?? false;
}

function isFlat({ prices }: ModelInfo): boolean {
  return !Array.isArray(prices) && Object.values(prices).every((price) => typeof price !== 'object');
}

function flatPrices(model: string, provider: Provider): KnownPrices['flat'] {
  const dollarsFor = (tokens: Partial<PricedCall['tokens']>) =>
    calcPrice(usageOf({ tokens: { ...NO_TOKENS, ...tokens } }), model, { provider })!.total_price;
  const call = dollarsFor({});
  return { call, millions: BUCKETS.map((bucket) => dollarsFor({ [bucket]: TOKENS_OF_A_PRICE }) - call) };
}

/** As the package counts: the input includes what caches served and took. */
function usageOf({ tokens }: Pick<PricedCall, 'tokens'>) {
  return {
    input_tokens: tokens.input_tokens + tokens.cache_read_tokens + tokens.cache_write_tokens,
    cache_read_tokens: tokens.cache_read_tokens,
    cache_write_tokens: tokens.cache_write_tokens,
    output_tokens: tokens.output_tokens,
  };
}
