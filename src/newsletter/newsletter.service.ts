import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database } from '../database/database.js';
import { NewsletterRepository } from './newsletter.repository.js';

/** Every sign-up locks the one row that counts them. As one owner's, they take half of the people's pool at most. */
const OWNER = 'newsletter';

@Injectable()
export class NewsletterService {
  constructor(
    private readonly subscribers: NewsletterRepository,
    private readonly database: Database,
  ) {}

  /**
   * Of any number of sign-ups with one address, at once or one after the other, exactly one is new.
   *
   * @param email trimmed and well-formed
   * @param source where the sign-up comes from; empty is none
   * @returns whether the address is new
   */
  subscribe(email: string, source: string | null | undefined): Promise<boolean> {
    const subscriber = { id: uuidv7(), email, source: source || null };
    return this.database.people.transaction((tx) => this.subscribers.insert(tx, subscriber), OWNER);
  }

  count(): Promise<number> {
    return this.subscribers.count(this.database.people.manager);
  }
}
