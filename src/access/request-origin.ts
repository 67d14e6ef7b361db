/** The way of a call that the service makes of its own API, for a caller of another protocol. */
export interface RequestWay {
  readonly via: 'mcp';
  /** The program that the caller uses, as it calls itself; null: it does not say. */
  readonly client: string | null;
  readonly clientVersion: string | null;
}

/** The address and the identifier of a request. */
export interface RequestOrigin {
  /** The caller's IP address, by `TRUST_PROXY`; null once the connection is closed. */
  readonly address: string | null;
  /** The first 300 characters of `User-Agent`. */
  readonly userAgent: string | null;
  /** The request's `X-Request-Id`. */
  readonly requestId: string;
  /** Absent: the request came over HTTP. */
  readonly way?: RequestWay;
}
