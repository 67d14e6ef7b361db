import { Injectable } from '@nestjs/common';
import { version } from '../config/version.js';
import { Database } from '../database/database.js';
import { Drain } from '../http/drain.js';
import type { HealthResponse, NotReadyResponse, ReadyResponse } from './dto/root-responses.js';

@Injectable()
export class HealthService {
  constructor(
    private readonly database: Database,
    private readonly drain: Drain,
  ) {}

  /** Answers within half a second even when the database hangs. */
  async health(): Promise<HealthResponse> {
    const database = await this.database.probe();
    return {
      status: database === 'ready' ? 'healthy' : 'degraded',
      timestamp: new Date().toISOString(),
      version,
      uptime_seconds: Math.round(process.uptime() * 10) / 10,
      database,
    };
  }

  /** Answers within half a second even when the database hangs. */
  async readiness(): Promise<ReadyResponse | NotReadyResponse> {
    const database = await this.database.probe();
    if (this.drain.isAnnounced) return { status: 'not_ready', database, error: 'The service is ending' };
    if (database !== 'ready') return { status: 'not_ready', database, error: `The database is ${database}` };
    return { status: 'ready', database, timestamp: new Date().toISOString(), version };
  }
}
