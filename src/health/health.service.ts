import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { version } from '../config/version.js';
import { POOL_NAMES, type PoolName } from '../budget/pool-sizes.js';
import { Database, type DatabaseState } from '../database/database.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { Drain } from '../http/drain.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';
import type { HealthResponse, NotReadyResponse, ReadyResponse } from './dto/root-responses.js';

/** Milliseconds. */
const ANSWER_MS = 500;
const UNREAD_KEYS = "The keys of stored secrets can't be read";

@Injectable()
export class HealthService {
  constructor(
    private readonly database: Database,
    private readonly telemetry: TelemetryDatabase,
    private readonly drain: Drain,
    private readonly sealingKeys: SealingKeysService,
    metrics: ServiceMetrics,
  ) {
    const databases = { main: database, ...(telemetry.isApart && { telemetry }) };
    metrics.addGauges(
      {
        control_plane_database_ready:
          'Whether this instance reaches the database: 1 or 0; telemetry, if that has a separate database',
      },
      () => ({
        control_plane_database_ready: Object.entries(databases).map(([name, { state }]) => ({
          labels: { database: name },
          value: state === 'ready' ? 1 : 0,
        })),
      }),
      ['database'],
    );
  }

  /** Answers within half a second even when the database hangs. */
  async health(): Promise<HealthResponse> {
    const { state: database } = await this.database.probe();
    return {
      status: database === 'ready' ? 'healthy' : 'degraded',
      timestamp: new Date().toISOString(),
      version,
      uptime_seconds: Math.round(process.uptime() * 10) / 10,
      database,
    };
  }

  /**
   * Answers within half a second even when the database hangs. A database of telemetry that is away leaves the service ready: only logs,
   * metrics and spans need it.
   */
  async readiness(): Promise<ReadyResponse | NotReadyResponse> {
    const { state: database, silent } = await this.database.probe();
    if (this.drain.isAnnounced)
      return { status: 'not_ready', database, error: 'The service is shutting down' };
    if (database !== 'ready') return { status: 'not_ready', database, error: reasonOf(database, silent) };
    const secrets = await this.problemOfSecrets();
    if (secrets !== null) return { status: 'not_ready', database, error: secrets };
    return {
      status: 'ready',
      database,
      ...(this.telemetry.isApart && { telemetry_database: this.telemetry.state }),
      timestamp: new Date().toISOString(),
      version,
    };
  }

  /** The last known state, if the database's answer is late. */
  private async problemOfSecrets(): Promise<string | null> {
    const { lastProblem } = this.sealingKeys;
    const problem = this.sealingKeys.problem().catch(() => UNREAD_KEYS);
    return lastProblem === undefined
      ? problem
      : Promise.race([problem, delay(ANSWER_MS, lastProblem, { ref: false })]);
  }
}

/** @param silent pools without an answer; only some of them where there is a pooler */
function reasonOf(database: DatabaseState, silent: readonly PoolName[]): string {
  if (silent.length === POOL_NAMES.length) return `The database is ${database}`;
  return `The database is ${database} for the pools ${silent.join(', ')}`;
}
