import type { EndedSpan } from './otlp-span.js';

/** Spans of runs of the agent's own that wait until the service has sent the run's id. */
export class UnnamedSpans {
  /** By the agent's own word for the run, the oldest first. */
  private readonly waiting = new Map<string, EndedSpan[]>();
  private count = 0;

  /** @param onDropped is called with the number of spans that are too many */
  constructor(
    private readonly limit: number,
    private readonly onDropped: (count: number) => void,
  ) {}

  add(key: string, span: EndedSpan): void {
    const spans = this.waiting.get(key);
    if (spans) spans.push(span);
    else this.waiting.set(key, [span]);
    this.count += 1;
    while (this.count > this.limit) this.dropOldest();
  }

  /** Removes those of a run. */
  take(key: string): EndedSpan[] {
    const spans = this.waiting.get(key) ?? [];
    this.waiting.delete(key);
    this.count -= spans.length;
    return spans;
  }

  private dropOldest(): void {
    const [oldest] = this.waiting.keys();
    this.onDropped(this.take(oldest!).length);
  }
}
