import { v7 as uuidv7 } from 'uuid';
import type { Call, CommandStory } from '../evidence.js';

export interface PlayedCommand extends CommandStory {
  readonly config: string;
  readonly receivedAt: Date;
  attempt: number;
  /** Milliseconds of the scenario; it is not delivered again before. */
  leasedUntil: number;
  isSettled: boolean;
}

/** The service's queue, as far as agents can observe it: one command at a time for each deployment, under a lease. */
export class PlayedQueue {
  readonly commands: PlayedCommand[] = [];
  private wake = () => {};
  private changed = Promise.resolve();

  constructor(
    private readonly leaseMs: number,
    private readonly now: () => number,
  ) {
    this.renew();
  }

  add(
    order: Pick<PlayedCommand, 'action' | 'deploymentId' | 'generation' | 'replicas' | 'config'> &
      Partial<Pick<PlayedCommand, 'isRolling' | 'isImpossible' | 'isOfRuns'>>,
  ): PlayedCommand {
    const command = {
      isRolling: false,
      isImpossible: false,
      isOfRuns: false,
      isGone: false,
      ...order,
      id: uuidv7(),
      receivedAt: new Date(),
      deliveries: [],
      acknowledgements: [],
      attempt: 0,
      leasedUntil: 0,
      isSettled: false,
    };
    this.commands.push(command);
    this.notify();
    return command;
  }

  /** Leases the next commands that are due. */
  lease(limit: number): PlayedCommand[] {
    const waiting = this.commands.filter(({ isSettled }) => !isSettled);
    const heads = waiting.filter(
      (command) => waiting.find(({ deploymentId }) => deploymentId === command.deploymentId) === command,
    );
    const due = heads.filter(({ leasedUntil }) => leasedUntil <= this.now()).slice(0, limit);
    for (const command of due) {
      command.attempt++;
      command.leasedUntil = this.now() + this.leaseMs;
    }
    return due;
  }

  /** @returns undefined for an unknown or forgotten command, else true for the first reply */
  settle(commandId: string, call: Call, success: unknown): boolean | undefined {
    const command = this.commands.find(({ id }) => id === commandId.toLowerCase());
    if (!command) return undefined;
    if (command.isGone) {
      command.isSettled = true;
      return undefined;
    }
    const isFirst = !command.acknowledgements.some((earlier) => earlier.call !== call);
    command.acknowledgements.push({ call, success });
    command.isSettled = true;
    this.notify();
    return isFirst;
  }

  /** Delivers it again, as if the lease ended while the acknowledgement was on its way. */
  deliverAgain(command: PlayedCommand): void {
    command.isSettled = false;
    command.leasedUntil = 0;
    this.notify();
  }

  /** Delivers the command once, and does not know it any more when it is acknowledged. */
  forget(command: PlayedCommand): void {
    command.isGone = true;
  }

  /** Settles an undelivered command, as a newer one does. */
  supersede(command: PlayedCommand): void {
    command.isSettled = true;
  }

  /** Resolves at the next change, or after a time. @param milliseconds maximum time */
  async somethingNew(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.max(0, milliseconds))));
    await Promise.race([this.changed, late]);
    clearTimeout(timer);
  }

  /** Ends every wait. */
  notify(): void {
    this.wake();
    this.renew();
  }

  private renew(): void {
    this.changed = new Promise((resolve) => (this.wake = resolve));
  }
}
