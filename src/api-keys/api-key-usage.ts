import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const MINUTE_MS = 60_000;
/** Time in which uses are gathered; milliseconds. */
const WRITE_INTERVAL_MS = 1_000;

/** Writes `last_used_at`, exact to the minute, in the background: no request waits for it or fails because of it. */
@Injectable()
export class ApiKeyUsage implements OnModuleDestroy {
  private minute = 0;
  private readonly recordedThisMinute = new Set<string>();
  private readonly unwritten = new Set<string>();
  private writing: NodeJS.Timeout | undefined;

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returns at once; written within about a second. At most one write a minute for each key. */
  record(id: string): void {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.recordedThisMinute.clear();
    }
    if (this.recordedThisMinute.has(id)) return;
    this.recordedThisMinute.add(id);
    this.unwritten.add(id);
    this.writing ??= setTimeout(() => void this.write(), WRITE_INTERVAL_MS).unref();
  }

  /** Writes the uses of the last second, which no later call would record. */
  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.writing);
    await this.write();
  }

  private async write(): Promise<void> {
    this.writing = undefined;
    const ids = [...this.unwritten];
    if (ids.length === 0) return;
    this.unwritten.clear();
    try {
      await this.keys.recordUse(this.database.background.manager, ids);
    } catch (error) {
      this.logger.warn({ err: error, api_keys: ids.length }, 'the last use of API keys was not recorded');
    }
  }
}
