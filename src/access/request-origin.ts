/** The address and the identifier of a request. */
export interface RequestOrigin {
  /** The caller's IP address, by `TRUST_PROXY`; null once the connection is closed. */
  readonly address: string | null;
  /** The first 300 characters of `User-Agent`. */
  readonly userAgent: string | null;
  /** The request's `X-Request-Id`. */
  readonly requestId: string;
}
