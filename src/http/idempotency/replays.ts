import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Transaction } from '../../database/transaction.js';

/** A kept reply that is about to be sent again. */
export interface Replay {
  readonly tx: Transaction;
  readonly request: Request;
  readonly reply: unknown;
}

/** Notifies listeners of replies that are sent again. */
@Injectable()
export class Replays {
  private readonly handlers: ((replay: Replay) => Promise<void>)[] = [];

  onReplayed(handler: (replay: Replay) => Promise<void>): void {
    this.handlers.push(handler);
  }

  async note(replay: Replay): Promise<void> {
    for (const handler of this.handlers) await handler(replay);
  }
}
