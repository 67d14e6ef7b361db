/** How long a connection may take, of the service and of the web server alike. All in milliseconds. */
export interface ConnectionLimits {
  /**
   * From the first byte of a request to the last one of its body; then it is a 408. 1 MiB in 15 s is 0.6 Mbit/s, which
   * any mobile network manages. Who sends a byte now and then can't keep a connection and its buffers for long.
   */
  readonly requestMs: number;
  /** How often that is looked at. Node's default is 30 s, with which 15 s could become 45. */
  readonly checkMs: number;
  /**
   * A reply that is complete on this side, and of which the other side has taken nothing for so long, is dropped with its
   * connection. Time counts from when the handler has finished: polls and live streams may be silent before.
   */
  readonly unreadReplyMs: number;
  /**
   * How long a connection is kept that nothing is sent on. Longer than an agent pauses between two heartbeats, and than
   * load balancers keep theirs (60 s, mostly), so that it is never this side that closes first, on a request under way.
   */
  readonly keepAliveMs: number;
  /**
   * After a refusal that closes the connection, for how long what still comes is read and thrown away. A socket that is
   * closed with bytes unread is reset, and then the other side may lose the refusal.
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
