import { STATUS_CODES } from 'node:http';

/** Codes of statuses, where the name of the status is less exact. */
const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_token',
  422: 'validation_failed',
  429: 'rate_limited',
};

/** The `code` of an error of which only the status is known: `request_timeout` for 408. */
export function codeOfStatus(status: number): string {
  return CODES[status] ?? (STATUS_CODES[status] ?? 'Error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}
