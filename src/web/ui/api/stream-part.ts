import type { LiveStreamHandlers, SharedStream } from './live.js';

/** A part of a stream for some of its readers, who come and go while it stays open. */
export class StreamPart<Data> implements SharedStream<Data> {
  private readonly followers = new Set<LiveStreamHandlers<Data>>();
  private state: 'connecting' | 'open' | 'lost' = 'connecting';

  readonly follow = (handlers: LiveStreamHandlers<Data>): (() => void) => {
    this.followers.add(handlers);
    // whatever came before is not passed on
    if (this.state === 'open') handlers.onOpen?.(true);
    if (this.state === 'lost') handlers.onLost?.();
    return () => void this.followers.delete(handlers);
  };

  pass(data: Data): void {
    for (const { onData } of this.followers) onData(data);
  }

  opened(mayHaveMissed: boolean): void {
    this.state = 'open';
    for (const { onOpen } of this.followers) onOpen?.(mayHaveMissed);
  }

  lost(): void {
    this.state = 'lost';
    for (const { onLost } of this.followers) onLost?.();
  }
}

/**
 * The same stream for a filtered list: because the service filters, new data only makes the list be read again, at
 * most once in a while.
 */
export function announcing<Data>(stream: SharedStream<Data>, pauseMs: number): SharedStream<Data> {
  return {
    follow: (handlers) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const announce = () => {
        timer ??= setTimeout(() => {
          timer = undefined;
          handlers.onOpen?.(true);
        }, pauseMs);
      };
      const leave = stream.follow({ ...handlers, onData: announce });
      return () => {
        clearTimeout(timer);
        leave();
      };
    },
  };
}
