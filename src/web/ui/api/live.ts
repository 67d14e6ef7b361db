import { backoffMs } from '@agent-control-plane/client/internal/backoff';
import { useEffect, useEffectEvent } from 'react';
import { pathHere } from '../components/page-meta.js';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15_000;
/** Time after which a hidden tab closes its streams; milliseconds. Switching between tabs is usually faster. */
const HIDDEN_MS = 5_000;
/** Silence after which a connection counts as dead: two default heartbeats and a margin; milliseconds. */
const SILENCE_MS = 35_000;

export interface LiveStreamHandlers<Data> {
  readonly onData: (data: Data) => void;
  /**
   * The stream is open. `mayHaveMissed`: it could not resume at its last position (or is opened for the first time), so the
   * page must read its data again.
   */
  readonly onOpen?: (mayHaveMissed: boolean) => void;
  readonly onLost?: () => void;
  /** The service has ended the stream, because the resource was removed. */
  readonly onEnd?: () => void;
}

/** A part of a stream that is open already: a browser allows six connections for a host. */
export interface SharedStream<Data> {
  /** Calls the handlers from now on. @returns a function that ends it */
  readonly follow: (handlers: LiveStreamHandlers<Data>) => () => void;
}

/** The path of a stream handler with its filters, or a part of another stream. */
export type LiveSource<Data> = string | SharedStream<Data>;

/**
 * One stream of server-sent events. A browser's EventSource resumes by itself from a lost connection, but gives up
 * permanently on any answer that is not 200 (a 502 while the service restarts), and uses one of the six connections
 * that a browser allows for a host. So this class opens a new one after that, and none while the tab is hidden. An
 * EventSource does not notice a dead connection either: missing heartbeats show it.
 */
class LiveStream<Data> {
  private source: EventSource | null = null;
  private lastEventId = '';
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private isOver = false;

  constructor(
    private readonly path: string,
    private readonly handlers: LiveStreamHandlers<Data>,
  ) {
    document.addEventListener('visibilitychange', this.onVisibility);
    if (document.visibilityState === 'visible') this.connect();
  }

  close(): void {
    this.isOver = true;
    document.removeEventListener('visibilitychange', this.onVisibility);
    this.disconnect();
  }

  private connect(): void {
    this.disconnect();
    const url = new URL(pathHere(this.path), location.origin);
    if (this.lastEventId !== '') url.searchParams.set('last_event_id', this.lastEventId);
    const source = new EventSource(url);
    this.source = source;
    let isFirst = this.lastEventId === '';
    this.heard();
    source.onopen = () => {
      this.heard();
      this.failures = 0;
      this.handlers.onOpen?.(isFirst);
      // from now on the EventSource resumes by itself
      isFirst = false;
    };
    source.onmessage = (event: MessageEvent<string>) => {
      this.heard();
      this.lastEventId = event.lastEventId;
      this.handlers.onData(JSON.parse(event.data) as Data);
    };
    source.addEventListener('heartbeat', (event: MessageEvent<string>) => {
      this.heard();
      this.lastEventId = event.lastEventId;
    });
    source.addEventListener('end', (event) => this.onEnd(event as MessageEvent<string>));
    source.onerror = () => this.onError(source);
  }

  private onEnd(event: MessageEvent<string>): void {
    const { reason } = JSON.parse(event.data) as { reason: 'shutdown' | 'removed' | 'credential' | 'ended' };
    // the access token has expired: the next connection renews it, or is refused
    if (reason === 'shutdown' || reason === 'credential') return;
    this.close();
    this.handlers.onEnd?.();
  }

  /** Restarts the silence timer, which also covers the time before the stream is open. */
  private heard(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      // a hidden tab's stream is about to be closed
      if (document.visibilityState === 'hidden') return;
      this.fail();
      this.connect();
    }, SILENCE_MS);
  }

  private fail(): void {
    this.failures += 1;
    if (this.failures === 1) this.handlers.onLost?.();
  }

  private onError(source: EventSource): void {
    if (this.isOver) return;
    this.fail();
    if (source.readyState !== EventSource.CLOSED) return;
    // a refused position would be refused each time
    if (this.failures > 3) this.lastEventId = '';
    clearTimeout(this.silence);
    const pauseMs = backoffMs(this.failures, FIRST_DELAY_MS, LONGEST_DELAY_MS);
    this.timer = setTimeout(() => this.connect(), pauseMs);
  }

  private disconnect(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.source?.close();
    this.source = null;
  }

  private readonly onVisibility = (): void => {
    if (document.visibilityState === 'hidden') {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.disconnect(), HIDDEN_MS);
    } else if (this.source === null || this.source.readyState === EventSource.CLOSED) {
      this.connect();
    } else {
      clearTimeout(this.timer);
      this.heard();
    }
  };
}

/** Follows a stream while the component is mounted. Another source opens another stream. */
export function useLiveStream<Data>(
  source: LiveSource<Data> | null,
  handlers: LiveStreamHandlers<Data>,
): void {
  const onData = useEffectEvent((data: Data) => handlers.onData(data));
  const onOpen = useEffectEvent((mayHaveMissed: boolean) => handlers.onOpen?.(mayHaveMissed));
  const onLost = useEffectEvent(() => handlers.onLost?.());
  const onEnd = useEffectEvent(() => handlers.onEnd?.());
  useEffect(() => {
    if (source === null) return undefined;
    const follower: LiveStreamHandlers<Data> = {
      onData: (data) => onData(data),
      onOpen: (mayHaveMissed) => onOpen(mayHaveMissed),
      onLost: () => onLost(),
      onEnd: () => onEnd(),
    };
    if (typeof source !== 'string') return source.follow(follower);
    const stream = new LiveStream<Data>(source, follower);
    return () => stream.close();
  }, [source]);
}
