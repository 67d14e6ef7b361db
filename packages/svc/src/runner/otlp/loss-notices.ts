import type { Loss, OtlpSignal } from './otlp-export.js';

/** A program whose exports are refused sends another one every few seconds. */
const PAUSE_MS = 60_000;

/** Log lines about losses: the first one of a signal and kind at once, then one a minute at most, with the number since. */
export class LossNotices {
  private readonly told = new Map<string, { readonly at: number; untold: number }>();

  constructor(
    private readonly tell: (message: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  add(signal: OtlpSignal, { kind, count, reason }: Loss): void {
    const name = `${signal} ${kind}`;
    const last = this.told.get(name);
    if (last && this.now() - last.at < PAUSE_MS) {
      last.untold += count;
      return;
    }
    this.told.set(name, { at: this.now(), untold: 0 });
    this.tell(sentenceOf(signal, { kind, count: count + (last?.untold ?? 0), reason }));
  }
}

function sentenceOf(signal: OtlpSignal, { kind, count, reason }: Loss): string {
  if (kind === 'rejected')
    return `OpenTelemetry: the service has taken an export of ${signal} without ${count} of its entries: ${reason}`;
  const exports = `${count} ${count === 1 ? 'export' : 'exports'} of ${signal}`;
  return kind === 'dropped'
    ? `OpenTelemetry: ${exports} dropped: ${reason}`
    : `OpenTelemetry: ${exports} given up, because the service refuses: ${reason}`;
}
