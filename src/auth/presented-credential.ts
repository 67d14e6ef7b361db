import type { IncomingHttpHeaders } from 'node:http';

/** The credential of a request, and the name of its header. */
export interface PresentedCredential {
  readonly sentAs: 'bearer' | 'x-api-key';
  readonly text: string;
}

/** RFC 6750, 2.1: the scheme in any case, one space or more, then the token. */
const BEARER = /^Bearer +([^\s]+) *$/i;
/** Longer than any token or key of this service; longer texts are ignored. */
const MAXIMUM_LENGTH = 4_096;

/**
 * The credential of a request; `Authorization` precedes the other header. Null if there is none, or none of a possible
 * form.
 */
export function presentedCredential(headers: IncomingHttpHeaders): PresentedCredential | null {
  if (headers.authorization !== undefined) return fromAuthorization(headers.authorization);
  const key = headers['x-api-key'];
  if (typeof key !== 'string' || key === '' || key.length > MAXIMUM_LENGTH) return null;
  return { sentAs: 'x-api-key', text: key };
}

function fromAuthorization(header: string): PresentedCredential | null {
  const text = header.length > MAXIMUM_LENGTH ? undefined : BEARER.exec(header)?.[1];
  return text === undefined ? null : { sentAs: 'bearer', text };
}
