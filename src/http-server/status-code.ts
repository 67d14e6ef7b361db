import { STATUS_CODES } from 'node:http';

/** Codes of statuses whose name says less. */
const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_token',
  422: 'validation_failed',
  429: 'rate_limited',
};

/** The `code` of an error that is told by its status alone: `request_timeout` of a 408. */
export function codeOfStatus(status: number): string {
  return CODES[status] ?? (STATUS_CODES[status] ?? 'Error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}
