import type { QuotaScope, QuotaSubject } from './quota.types.js';

const WINDOW_MS = 60_000;

interface Window {
  readonly endsAt: number;
  bytes: number;
}

/** The amounts that this instance received from agents and projects within a minute. */
export class RateWindows {
  private readonly windows = new Map<string, Window>();

  /** @param limitOf returns 0 where there is no limit */
  constructor(private readonly limitOf: (scope: QuotaScope) => number) {}

  /** Seconds until more is taken; 0: it is taken now. */
  secondsToWait({ scope, subjectId }: QuotaSubject): number {
    const window = this.windows.get(subjectId);
    if (!window || window.bytes < this.limitOf(scope)) return 0;
    return Math.max(0, Math.ceil((window.endsAt - performance.now()) / 1_000));
  }

  add({ scope, subjectId }: QuotaSubject, bytes: number): void {
    if (this.limitOf(scope) === 0) return;
    const now = performance.now();
    const window = this.windows.get(subjectId);
    if (window && now < window.endsAt) window.bytes += bytes;
    else this.windows.set(subjectId, { endsAt: now + WINDOW_MS, bytes });
  }

  forgetOld(): void {
    const now = performance.now();
    for (const [subjectId, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(subjectId);
  }
}
