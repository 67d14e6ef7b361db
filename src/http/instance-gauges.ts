import { Injectable } from '@nestjs/common';
import { CONCURRENCY_SHARES, type RequestKind } from '../budget/concurrency-shares.js';
import type { ConnectionPool } from '../database/connection-pool.js';
import { Database } from '../database/database.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import { ConcurrentRequests } from './concurrent-requests.js';

const KINDS = Object.keys(CONCURRENCY_SHARES) as RequestKind[];

/** Gauges of the use of this instance's budget: see `docs/budget.md`. */
@Injectable()
export class InstanceGauges {
  constructor(metrics: ServiceMetrics, requests: ConcurrentRequests, database: Database) {
    const byKind = (valueOf: (kind: RequestKind) => number) =>
      KINDS.map((kind) => ({ labels: { kind }, value: valueOf(kind) }));
    metrics.addGauges(
      {
        control_plane_places: 'Concurrency limit of each kind of requests',
        control_plane_places_taken: 'Requests in progress, by kind',
      },
      () => ({
        control_plane_places: byKind((kind) => requests.limitOf(kind)),
        control_plane_places_taken: byKind((kind) => requests.takenOf(kind)),
      }),
      ['kind'],
    );
    const { runtimes, people, searches, background } = database;
    const byPool = (valueOf: (pool: ConnectionPool) => number) =>
      [runtimes, people, searches, background].map((pool) => ({
        labels: { pool: pool.name },
        value: valueOf(pool),
      }));
    metrics.addGauges(
      {
        control_plane_pool_size: 'Maximum number of connections of a pool',
        control_plane_pool_busy: 'Connections of a pool in use',
        control_plane_pool_waiting: 'Statements waiting for a connection',
      },
      () => ({
        control_plane_pool_size: byPool(({ size }) => size),
        control_plane_pool_busy: byPool((pool) => pool.usage().busy),
        control_plane_pool_waiting: byPool((pool) => pool.usage().waiting),
      }),
      ['pool'],
    );
  }
}
