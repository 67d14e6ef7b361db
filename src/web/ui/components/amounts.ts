import type { Usage } from '@agent-control-plane/client';

const number = new Intl.NumberFormat('en');
const exactDollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});
const cents = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

export const numberText = (value: number): string => number.format(value);

/** @param cost a decimal number of dollars */
export const costText = (cost: string): string => exactDollars.format(Number(cost));

/** A sum of dollars, in cents from a dollar on. @param cost a decimal number of dollars */
export const roundCostText = (cost: string): string =>
  Number(cost) < 1 ? costText(cost) : cents.format(Number(cost));

type Tokens = Pick<Usage, 'input_tokens' | 'cache_read_tokens' | 'cache_write_tokens' | 'output_tokens'>;

/** All tokens. Reasoning is part of the output. */
export const allTokens = (usage: Tokens): number =>
  usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;

/** What a sum of dollars lacks: `3 calls without a price`; null: nothing. */
export const uncostedText = ({ uncosted_calls: calls }: Pick<Usage, 'uncosted_calls'>): string | null =>
  calls === 0 ? null : `${numberText(calls)} ${calls === 1 ? 'call' : 'calls'} without a price`;
