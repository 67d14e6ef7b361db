import type { EventListener } from './runtime-events.js';

/** Reports advice of the service to upgrade something: once, though each reply to a registration or a heartbeat repeats it. */
export class UpgradeAdvice {
  private known: string | undefined;

  constructor(private readonly onEvent: EventListener) {}

  /** Follows a reply. @param upgrade undefined: there is nothing to upgrade */
  follow(upgrade: string | undefined): void {
    if (upgrade !== undefined && upgrade !== this.known)
      this.onEvent({ level: 'warning', event: 'upgrade', message: upgrade });
    this.known = upgrade;
  }
}
