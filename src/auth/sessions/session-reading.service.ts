import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../database/page.js';
import { ListReads } from '../../http/list-reads.js';
import type { Session } from './session.types.js';
import { SessionsRepository } from './sessions.repository.js';

/** Lists of sessions. */
@Injectable()
export class SessionReading {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly lists: ListReads,
  ) {}

  list(userId: string, request: PageRequest): Promise<Page<Session>> {
    return this.lists.page(userId, request, false, (connection) =>
      this.sessions.list(connection, userId, request),
    );
  }
}
