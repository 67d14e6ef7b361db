import type { Attributes } from '../telemetry/otlp/attribute-values.js';

/** Maximum of one call. A larger number is an emitter's fault, and a few of them would overflow the sums. */
const MAXIMUM_TOKENS = 1_000_000_000;
/** Maximum cost of one call, for the same reason. */
const MAXIMUM_COST_USD = 1_000_000;
/** Maximum length of a number that is written as a text. */
const MAXIMUM_DIGITS = 24;

/** The first of these attributes that is a plausible number of tokens. */
export function tokensIn(attributes: Attributes, names: readonly string[]): number | null {
  return amountIn(attributes, names, (value) => Number.isInteger(value) && value <= MAXIMUM_TOKENS);
}

/** The first of these attributes that is a plausible cost in dollars. */
export function costIn(attributes: Attributes, names: readonly string[]): number | null {
  return amountIn(attributes, names, (value) => value <= MAXIMUM_COST_USD);
}

function amountIn(
  attributes: Attributes,
  names: readonly string[],
  isPlausible: (value: number) => boolean,
): number | null {
  for (const name of names) {
    const value = numberOf(attributes[name]);
    if (value >= 0 && isPlausible(value)) return value;
  }
  return null;
}

/** A number, also one that its emitter wrote as a text; NaN for anything else. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > MAXIMUM_DIGITS || value.trim() === '') return Number.NaN;
  return Number(value);
}
