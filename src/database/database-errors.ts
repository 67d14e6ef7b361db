/** A user's work fills its share of a pool and its queue; answered with 503. */
export class UserBusyError extends Error {
  /** PostgreSQL's code for "too many connections". */
  readonly code = '53300';
}

/** SQLSTATE classes and codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58'];
const TRANSIENT_CODES = ['40001', '40P01', '55P03', '25P03', '25006'];
/** Errors of `pg` and Node without a server at the other end, or without a free connection in time. */
const UNAVAILABLE_NODE_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];
const UNAVAILABLE_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
  'Query read timeout',
  'Driver not Connected',
  'Cannot use a pool after calling end on the pool',
  'Client was closed and is not queryable',
  // TypeORM's error after a connection was lost between two statements of a transaction.
  'Query runner already released',
];

interface DriverError {
  readonly code?: unknown;
  /** The system call that failed. */
  readonly syscall?: unknown;
  readonly message?: unknown;
}

/** The inner error: TypeORM wraps those of `pg`. */
function driverErrorOf(error: unknown): DriverError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const inner = (error as { driverError?: unknown }).driverError;
  return typeof inner === 'object' && inner !== null ? inner : error;
}

function codeOf(error: unknown): string {
  const code = driverErrorOf(error)?.code;
  return typeof code === 'string' ? code : '';
}

/** The database is unreachable, full, out of connections or too slow: the same request may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  // A missing Unix socket has the code of any missing file, but a missing file of the service is no outage.
  if (code === 'ENOENT') return driverErrorOf(error)?.syscall === 'connect';
  if (UNAVAILABLE_NODE_CODES.includes(code) || TRANSIENT_CODES.includes(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code)) return UNAVAILABLE_CLASSES.includes(code.slice(0, 2));
  const message = driverErrorOf(error)?.message;
  return typeof message === 'string' && UNAVAILABLE_MESSAGES.some((known) => message.startsWith(known));
}

/** The server is there, and has no room for another connection: the class "insufficient resources". */
export function isServerFull(error: unknown): boolean {
  return codeOf(error).startsWith('53');
}

/** A value that PostgreSQL does not know, such as a time zone. */
export function isInvalidParameter(error: unknown): boolean {
  return codeOf(error) === '22023';
}

/** A statement exceeded its timeout. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/** Two transactions conflicted; the whole transaction may be repeated at once. */
export function isSerializationFailure(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}
