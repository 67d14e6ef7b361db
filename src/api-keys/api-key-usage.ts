import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { GroupCommit, ONCE_A_SECOND } from '../database/group-commit.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const MINUTE_MS = 60_000;

/** Keeps `last_used_at` to the minute, beside the requests: none waits for it, and none fails with it. */
@Injectable()
export class ApiKeyUsage implements OnModuleDestroy {
  private minute = 0;
  private readonly recordedThisMinute = new Set<string>();
  private readonly writes: GroupCommit<string, undefined>;

  constructor(
    keys: ApiKeysRepository,
    database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const record = async (ids: readonly string[]) => {
      try {
        await keys.recordUse(database.background.manager, ids);
      } catch (error) {
        this.logger.warn({ err: error, api_keys: ids.length }, 'the use of API keys was not recorded');
      }
      return ids.map(() => undefined);
    };
    this.writes = new GroupCommit('uses of keys', record, { pace: ONCE_A_SECOND });
  }

  /** Returns at once. At most one write a minute for each key. */
  record(id: string): void {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.recordedThisMinute.clear();
    }
    if (this.recordedThisMinute.has(id)) return;
    this.recordedThisMinute.add(id);
    void this.writes.submit(id);
  }

  /** Writes the uses of the last second, which nobody may repeat. */
  onModuleDestroy(): Promise<void> {
    return this.writes.finish();
  }
}
