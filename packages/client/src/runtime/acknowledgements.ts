import { unwrap } from '../service-client.js';
import { ServiceError } from '../service-errors.js';
import { UnexpectedReplyError } from './runtime-errors.js';
import type { EventListener } from './runtime-events.js';
import type { Outcome, RuntimeState } from './runtime-state.js';
import type { ServiceLink } from './service-link.js';

/** Sends the outcomes of commands to the service, and repeats each until the service has accepted it. */
export class Acknowledgements {
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly link: ServiceLink,
    private readonly state: RuntimeState,
    private readonly onEvent: EventListener,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends the outcomes that an earlier process could not send. */
  resume(): void {
    for (const [commandId, outcome] of this.state.unacknowledged()) this.send(commandId, outcome);
  }

  /** Begins to send an outcome, unless that command's is being sent already. Never fails. */
  send(commandId: string, outcome: Outcome): void {
    if (this.underWay.has(commandId)) return;
    const sent = this.sendUntilTaken(commandId, outcome).finally(() => this.underWay.delete(commandId));
    this.underWay.set(commandId, sent);
  }

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay.values());
  }

  private async sendUntilTaken(commandId: string, outcome: Outcome): Promise<void> {
    try {
      await this.link.retryTransient(async (service, signal) => {
        const body = { command_id: commandId, ...outcome } as never;
        const reply = await unwrap(service.POST('/agents/commands/acknowledge', { body, signal }));
        if (reply?.command_id !== commandId)
          throw new UnexpectedReplyError('The reply does not name the command');
      }, this.signal);
    } catch (error) {
      // the runtime has ended: the outcome is sent again after the next start
      if (!(error instanceof ServiceError)) return;
      this.onEvent({
        level: 'warning',
        event: 'acknowledgement_refused',
        message: `The service does not take the result of command ${commandId}: ${error.detail}`,
      });
    }
    this.state.markAcknowledged(commandId);
    await this.state.save().catch(() => undefined);
  }
}
