import type { Usage } from '@agent-control-plane/client';

const number = new Intl.NumberFormat('en');
const dollars = (maximumFractionDigits: number) =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits,
  });
const exact = dollars(6);
const cents = dollars(2);

export const numberText = (value: number): string => number.format(value);

/** @param cost a decimal number of dollars */
export const costText = (cost: string): string => exact.format(Number(cost));

/** A sum of dollars, in cents from a dollar on. @param cost a decimal number of dollars */
export const roundCostText = (cost: string): string =>
  Number(cost) < 1 ? costText(cost) : cents.format(Number(cost));

/** The missing parts of a sum of dollars: `3 calls without a price`; null: nothing. */
export const uncostedText = ({ uncosted_calls: calls }: Pick<Usage, 'uncosted_calls'>): string | null =>
  calls === 0 ? null : `${numberText(calls)} ${calls === 1 ? 'call' : 'calls'} without a price`;
