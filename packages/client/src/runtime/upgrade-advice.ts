import type { EventListener } from './runtime-events.js';

/** Reports advice of the service to upgrade something: once, though each registration repeats it. */
export class UpgradeAdvice {
  private known: string | undefined;

  constructor(private readonly onEvent: EventListener) {}

  /** Follows the reply to a registration. @param upgrade undefined: there is nothing to upgrade */
  follow(upgrade: string | undefined): void {
    if (upgrade !== undefined && upgrade !== this.known)
      this.onEvent({ level: 'warning', event: 'upgrade', message: upgrade });
    this.known = upgrade;
  }
}
