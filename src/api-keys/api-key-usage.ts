import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { GroupCommit } from '../database/group-commit.js';
import { Transactor } from '../database/transactor.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const MINUTE_MS = 60_000;

/** Keeps `last_used_at` to the minute, beside the requests: none waits for it, and none fails with it. */
@Injectable()
export class ApiKeyUsage {
  private minute = 0;
  private readonly notedThisMinute = new Set<string>();
  private readonly writes: GroupCommit<string, undefined>;

  constructor(
    keys: ApiKeysRepository,
    transactor: Transactor,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.writes = new GroupCommit(async (ids) => {
      await transactor.run((tx) => keys.touch(tx, ids));
      return ids.map(() => undefined);
    });
  }

  /** Returns at once. At most one write a minute for each key. */
  note(id: string): void {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.notedThisMinute.clear();
    }
    if (this.notedThisMinute.has(id)) return;
    this.notedThisMinute.add(id);
    this.writes.submit(id).catch((error: unknown) => {
      this.logger.warn({ err: error, api_key_id: id }, 'the use of an API key was not noted');
    });
  }
}
