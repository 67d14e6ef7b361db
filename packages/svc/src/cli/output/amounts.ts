import type { Usage } from '@agent-control-plane/client';

const CENTS = 2;

/** `$0.4124`: at least with cents, and exact. @param usd a decimal text, as the service has it */
export function dollars(usd: string): string {
  const [whole = '0', fraction = ''] = usd.split('.');
  let digits = fraction.padEnd(CENTS, '0');
  while (digits.length > CENTS && digits.endsWith('0')) digits = digits.slice(0, -1);
  return `$${grouped(whole)}.${digits}`;
}

/** `1,200,000`. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

/** `1,500 in (300 cached), 450 out`. */
export function tokensText(
  usage: Pick<Usage, 'input_tokens' | 'cache_read_tokens' | 'cache_write_tokens' | 'output_tokens'>,
): string {
  const { input_tokens: fresh, cache_read_tokens: read, cache_write_tokens: written } = usage;
  const cached = read === 0 ? '' : ` (${count(read)} cached)`;
  return `${count(fresh + read + written)} in${cached}, ${count(usage.output_tokens)} out`;
}

/** `$0.41, and 2 calls without a price`. */
export function costText({ cost_usd, uncosted_calls }: Pick<Usage, 'cost_usd' | 'uncosted_calls'>): string {
  return uncosted_calls === 0
    ? dollars(cost_usd)
    : `${dollars(cost_usd)}, and ${callsText(uncosted_calls)} without a price`;
}

export function callsText(number: number): string {
  return number === 1 ? '1 call' : `${count(number)} calls`;
}

function grouped(digits: string): string {
  return BigInt(digits).toLocaleString('en');
}
