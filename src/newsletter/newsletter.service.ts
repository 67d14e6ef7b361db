import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { NewsletterRepository } from './newsletter.repository.js';

/**
 * Owner of all sign-ups' transactions. Each locks the row with the count; one owner's transactions get half of the pool
 * at most.
 */
const OWNER = 'newsletter';

@Injectable()
export class NewsletterService {
  constructor(
    private readonly subscribers: NewsletterRepository,
    private readonly database: Database,
  ) {}

  /**
   * Subscribes an address. Of any number of sign-ups with the same address, also concurrent ones, exactly one is new.
   *
   * @param email trimmed and well-formed
   * @param source of the sign-up; empty: none
   * @returns true if the address is new
   */
  subscribe(email: string, source: string | null | undefined): Promise<boolean> {
    const subscriber = { id: newId(), email, source: source || null };
    return this.database.people.transaction((tx) => this.subscribers.insert(tx, subscriber), OWNER);
  }

  /** Removes an address, regardless of case. An address that is not subscribed changes nothing. */
  unsubscribe(tx: Transaction, email: string): Promise<void> {
    return this.subscribers.delete(tx, email);
  }

  count(): Promise<number> {
    return this.subscribers.count(this.database.people.manager);
  }
}
