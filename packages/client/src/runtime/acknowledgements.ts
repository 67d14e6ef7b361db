import { unwrap } from '../service-client.js';
import { ServiceError } from '../service-errors.js';
import { UnexpectedReplyError } from './runtime-errors.js';
import type { EventListener } from './runtime-events.js';
import type { Outcome, RuntimeState } from './runtime-state.js';
import type { ServiceLink } from './service-link.js';
import { REFUSED_FOR_CONTENT } from './telemetry-outbox.js';

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
      await this.tell(commandId, outcome).catch((error: unknown) => {
        if (!isRefusedForContent(error) || outcome.result === undefined) throw error;
        // the outcome of the command counts more than its result, without which it would come again and count
        // as failed
        this.warn(`does not take the result of command ${commandId}, and is told without it`, error);
        return this.tell(commandId, { ...outcome, result: undefined });
      });
    } catch (error) {
      // the runtime has ended: the outcome is sent again after the next start
      if (!(error instanceof ServiceError)) return;
      this.warn(`does not take the outcome of command ${commandId}`, error);
    }
    this.state.markAcknowledged(commandId);
    await this.state.save().catch(() => undefined);
  }

  private async tell(commandId: string, outcome: Outcome): Promise<void> {
    await this.link.retryTransient(async (service, signal) => {
      const body = { command_id: commandId, ...outcome } as never;
      const reply = await unwrap(service.POST('/agents/commands/acknowledge', { body, signal }));
      if (reply?.command_id !== commandId)
        throw new UnexpectedReplyError('The reply does not name the command');
    }, this.signal);
  }

  private warn(what: string, error: ServiceError): void {
    const message = `The service ${what}: ${error.detail}`;
    this.onEvent({ level: 'warning', event: 'acknowledgement_refused', message });
  }
}

function isRefusedForContent(error: unknown): error is ServiceError {
  return error instanceof ServiceError && REFUSED_FOR_CONTENT.includes(error.status);
}
