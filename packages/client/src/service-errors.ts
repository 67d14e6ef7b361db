import type { SecondFactorQuestion } from './models.js';
import { readFields, textIn } from './protobuf-fields.js';

/** The body of all error replies of the service. */
export interface ErrorBody {
  readonly statusCode: number;
  readonly error: string;
  /** The word for programs, which never changes; `ErrorCode` of the OpenAPI document lists those of today. */
  readonly code: string;
  readonly message: string | string[];
  readonly detail: string;
  readonly request_id: string;
  /** In a 422 alone. */
  readonly errors?: readonly FieldError[];
  /** With the code `second_factor_required` alone. */
  readonly second_factor?: SecondFactorQuestion;
}

/** A rule that the request breaks. */
export interface FieldError {
  /** Path of the value: `logs.3.level`. Null: the rule is about no single one. */
  readonly field: string | null;
  readonly message: string;
  readonly code: string;
}

/** The service has received the request and refused it, or could not carry it out. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** The service's word for what went wrong. Undefined: a proxy answered. */
  readonly code: string | undefined = undefined;
  /** The rules that a refused request breaks, with the field of each; empty for everything but a 422. */
  readonly errors: readonly FieldError[] = [];
  /** The second factor that a login with a right password still needs; undefined for all other refusals. */
  readonly secondFactor: SecondFactorQuestion | undefined = undefined;

  constructor(
    /** HTTP status, 400 to 599. */
    readonly status: number,
    /** One sentence for people. */
    readonly detail: string,
    /** One sentence for each violated rule; except for a 422 only the detail. */
    readonly problems: readonly string[],
    /** Id of this request in the service's log. Undefined: a proxy answered, whatever headers it has set. */
    readonly requestId: string | undefined,
    /** Seconds before the next attempt, from `Retry-After`. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(detail);
  }

  /** The answer is a proxy's or a gateway's: whatever its status, the service has refused nothing. */
  get isOfProxy(): boolean {
    return this.requestId === undefined;
  }

  /** Reads a reply that is no success, also of a proxy, which has its own format. */
  static async from(response: Response): Promise<ServiceError> {
    if (isProtobuf(response)) return ServiceError.fromStatus(response);
    const body = asErrorBody(await response.text().catch(() => ''));
    const isOwn = body?.statusCode === response.status && typeof body.request_id === 'string';
    const detail = body?.detail ?? `The service answered ${response.status} ${response.statusText}`.trim();
    const error = new ServiceError(
      response.status,
      detail,
      body && Array.isArray(body.message) ? body.message : [detail],
      isOwn ? body.request_id : undefined,
      secondsOf(response.headers.get('retry-after')),
    );
    if (!isOwn) return error;
    const { code, errors = [], second_factor: secondFactor } = body;
    return Object.assign(error, { code, errors, secondFactor });
  }

  /** Reads a `google.rpc.Status`, the error of OTLP in Protocol Buffers. A proxy's own page has another type. */
  private static async fromStatus(response: Response): Promise<ServiceError> {
    const bytes = new Uint8Array(await response.arrayBuffer());
    const detail = messageOfStatus(bytes) ?? `The service answered ${response.status}`;
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const retryAfter = secondsOf(response.headers.get('retry-after'));
    return new ServiceError(response.status, detail, [detail], requestId, retryAfter);
  }
}

/** A credential that no header can hold, such as a file of two lines. The message does not contain it, unlike the platform's. */
export class MalformedCredentialError extends Error {
  override readonly name = 'MalformedCredentialError';

  constructor() {
    super(
      'The credential has a space, a line break or another character that no key and no token has: ' +
        'give it alone, such as the first line of its file',
    );
  }
}

/** No answer arrived: the address is wrong, or the service or the network is down. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(
    readonly baseUrl: string,
    cause: unknown,
  ) {
    super(`The service can't be reached at ${baseUrl} (${reasonOf(cause)})`, { cause });
  }
}

/** Whether a reply is in Protocol Buffers, as OTLP has it. */
export function isProtobuf(response: Response): boolean {
  return /^application\/x-protobuf\b/i.test(response.headers.get('content-type') ?? '');
}

function messageOfStatus(bytes: Uint8Array): string | undefined {
  try {
    return textIn(readFields(bytes), 2);
  } catch {
    return undefined;
  }
}

function asErrorBody(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.detail === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). */
export function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null || retryAfter.trim() === '') return undefined;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000);
}

/** Node's codes for a certificate that none of its authorities has signed. */
const UNKNOWN_ISSUERS = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);
const ISSUER_ADVICE =
  'no known authority has signed its certificate: set NODE_EXTRA_CA_CERTS to a file with the certificate of yours';

/** The innermost cause, because the message of `fetch` is only "fetch failed". */
function reasonOf(error: unknown): string {
  // checked by its shape: the platform's errors need not be instances of this realm's Error
  if (typeof error !== 'object' || error === null) return String(error);
  const { name, code, message, cause } = error as Partial<Error> & { code?: string | number };
  if (name === 'TimeoutError') return 'no answer in time';
  if (typeof code === 'string') return UNKNOWN_ISSUERS.has(code) ? `${code}: ${ISSUER_ADVICE}` : code;
  return cause === undefined ? String(message) : reasonOf(cause);
}
