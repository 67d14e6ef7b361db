import { Injectable } from '@nestjs/common';
import { PLACE_SHARES, type PlaceKind } from '../budget/place-limits.js';
import { Database } from '../database/database.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import { Places } from './places.js';

const KINDS = Object.keys(PLACE_SHARES) as PlaceKind[];

/** What this instance uses of its budget now: see `docs/budget.md`. */
@Injectable()
export class InstanceGauges {
  constructor(metrics: ServiceMetrics, places: Places, database: Database) {
    metrics.addGauges(
      {
        control_plane_places: 'Requests that may be under way at once',
        control_plane_places_taken: 'Requests under way',
      },
      () => ({
        control_plane_places: KINDS.map((kind) => ({ labels: { kind }, value: places.limitOf(kind) })),
        control_plane_places_taken: KINDS.map((kind) => ({ labels: { kind }, value: places.takenOf(kind) })),
      }),
      ['kind'],
    );
    const { runtimes, people, searches, background } = database;
    const pools = [runtimes, people, searches, background];
    metrics.addGauges(
      {
        control_plane_pool_size: 'Connections of a pool at most',
        control_plane_pool_busy: 'Connections of a pool in use',
        control_plane_pool_waiting: 'Statements that wait for a connection',
      },
      () => ({
        control_plane_pool_size: pools.map(({ name, size }) => ({ labels: { pool: name }, value: size })),
        control_plane_pool_busy: pools.map((pool) => ({
          labels: { pool: pool.name },
          value: pool.usage().busy,
        })),
        control_plane_pool_waiting: pools.map((pool) => ({
          labels: { pool: pool.name },
          value: pool.usage().waiting,
        })),
      }),
      ['pool'],
    );
  }
}
