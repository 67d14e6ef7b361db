import { Backoff } from './backoff.js';

const FIRST_PAUSE_MS = 500;
/** Far longer than that of failing calls: if the service asks again and again, registrations don't help. */
const LONGEST_PAUSE_MS = 600_000;

/** Registers a registered agent again, one registration at a time. */
export class RepeatedRegistration {
  private readonly backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  private wasAsked = false;
  private isUnderWay = false;

  constructor(
    private readonly register: () => Promise<void>,
    private readonly pause: (ms: number) => Promise<void>,
  ) {}

  /**
   * Follows a heartbeat's reply: registers at once if it asks for that, and after a growing pause if the reply before it
   * asked too. @throws any error of the registration
   */
  async follow(asks: boolean): Promise<void> {
    if (!asks) {
      this.backoff.reset();
      this.wasAsked = false;
      return;
    }
    if (this.isUnderWay) return;
    const pauseMs = this.wasAsked ? this.backoff.next() : 0;
    this.wasAsked = true;
    await this.start(pauseMs);
  }

  /** Registers at once. @throws any error of the registration */
  async now(): Promise<void> {
    if (!this.isUnderWay) await this.start(0);
  }

  private async start(pauseMs: number): Promise<void> {
    this.isUnderWay = true;
    try {
      if (pauseMs > 0) await this.pause(pauseMs);
      await this.register();
    } finally {
      this.isUnderWay = false;
    }
  }
}
