/** Time limits of a connection, the same in the service and the web server. All in milliseconds. */
export interface ConnectionLimits {
  /**
   * From the first byte of a request to the last one of its body; then it is a 408. 1 MiB in 15 s is 0.6 Mbit/s, which
   * any mobile network reaches. A client that sends single bytes can't hold a connection and its buffers for long.
   */
  readonly requestMs: number;
  /** Interval in which that limit is checked. Node's default is 30 s, with which 15 s could become 45. */
  readonly checkMs: number;
  /**
   * A complete reply of which the client has read nothing for this time is dropped with its connection. The time counts
   * from the end of the handler, because polls and live streams may be silent before.
   */
  readonly unreadReplyMs: number;
  /**
   * Time for which an idle connection is kept. It is longer than an agent's pause between two heartbeats and than the
   * timeout of load balancers (usually 60 s), so that this side never closes a connection first, while a request is on
   * its way.
   */
  readonly keepAliveMs: number;
  /**
   * After a refusal that closes the connection, time for which further bytes are read and discarded. A socket that is
   * closed with unread bytes is reset, and the client may then lose the refusal.
   */
  readonly lingerMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  requestMs: 15_000,
  checkMs: 1_000,
  unreadReplyMs: 60_000,
  keepAliveMs: 75_000,
  lingerMs: 1_000,
};
