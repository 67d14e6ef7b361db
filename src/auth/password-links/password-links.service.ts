import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Transaction } from '../../database/transaction.js';
import { RefusedError } from '../../errors/domain-error.js';
import { PasswordLinksRepository } from './password-links.repository.js';

const LIFETIME_HOURS = 72;
const TOKEN_BYTES = 32;

/** A link with its token, which the API returns only once. */
export interface PasswordLink {
  readonly token: string;
  readonly expiresAt: string;
}

/** Creates and checks one-time links to set the password of an account. Only a hash of the token is stored. */
@Injectable()
export class PasswordLinksService {
  constructor(
    private readonly links: PasswordLinksRepository,
    private readonly database: Database,
  ) {}

  /** Creates a link, valid for 72 hours; an earlier link of the account becomes invalid. */
  async issue(tx: Transaction, userId: string): Promise<PasswordLink> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    return { token, expiresAt: await this.links.replace(tx, userId, hashOf(token), LIFETIME_HOURS) };
  }

  /** The address of a link's account. @throws RefusedError if the link is not valid any more */
  async emailOf(token: string): Promise<string> {
    const email = await this.links.findEmail(this.database.people.manager, hashOf(token));
    if (email === null) throw expired();
    return email;
  }

  /**
   * Uses a link, which deletes it. Of two concurrent uses one succeeds.
   *
   * @returns the account's id
   * @throws RefusedError if the link is not valid any more
   */
  async use(tx: Transaction, token: string): Promise<string> {
    const userId = await this.links.take(tx, hashOf(token));
    if (userId === null) throw expired();
    return userId;
  }

  discard(tx: Transaction, userId: string): Promise<void> {
    return this.links.deleteOf(tx, userId);
  }
}

function expired(): RefusedError {
  return new RefusedError(
    'password_link_invalid',
    `The link is invalid: it was used, replaced, or is older than ${LIFETIME_HOURS} hours. Ask an operator for a ` +
      'new one.',
  );
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
