import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Transactor } from '../database/transactor.js';
import { NewsletterRepository } from './newsletter.repository.js';

@Injectable()
export class NewsletterService {
  constructor(
    private readonly subscribers: NewsletterRepository,
    private readonly transactor: Transactor,
  ) {}

  /**
   * Of any number of sign-ups with one address, at once or one after the other, exactly one is new.
   *
   * @param email trimmed and well-formed
   * @param source where the sign-up comes from; empty is none
   * @returns whether the address is new
   */
  async subscribe(email: string, source: string | null | undefined): Promise<boolean> {
    const subscriber = { id: uuidv7(), email, source: source || null };
    return this.transactor.run((tx) => this.subscribers.insert(tx, subscriber));
  }

  count(): Promise<number> {
    return this.subscribers.count();
  }
}
