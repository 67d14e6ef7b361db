import type { Response } from 'express';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { declaredAccess } from '../access/declared-access.js';
import { requestOf, responseOf } from '../access/http-context.js';
import type { RouteAccess } from '../access/route-access.js';
import { WAITING_ROUTE } from '../access/waiting-route.js';
import { WITHOUT_DATABASE } from '../access/without-database.js';
import type { RequestKind } from '../budget/concurrency-shares.js';
import type { PoolName } from '../budget/pool-sizes.js';
import { Database } from '../database/database.js';
import { UnavailableError } from '../errors/domain-error.js';
import { instruments } from '../observability/instruments.js';
import { ConcurrentRequests, TooManyConcurrentRequestsError } from './concurrent-requests.js';
import { addressKey } from './rate-limit/address-key.js';
import { RetryLine } from './retry-line.js';

const refusedRequests = new Counter({
  name: 'control_plane_refused_requests_total',
  help: 'Requests refused because a concurrency limit (of their kind, or of one IP address) was reached',
  labelNames: ['kind', 'reason'],
  registers: [instruments],
});

/**
 * Maximum size of a small reply. The memory of a larger one counts until it is sent, so that a client that does not
 * read its replies can't take more slots with further requests.
 */
const SMALL_REPLY_BYTES = 16_384;

/** The first guard: refuses requests at once while the service is overloaded or its database is starting or away. */
@Injectable()
export class ConcurrencyGuard implements CanActivate {
  constructor(
    private readonly requests: ConcurrentRequests,
    private readonly database: Database,
    private readonly line: RetryLine,
  ) {}

  /** @throws TooManyConcurrentRequestsError, UnavailableError */
  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    // Such as health checks, which matter most during an overload.
    if (Reflect.getMetadata(WITHOUT_DATABASE, handler)) return true;
    const kind = kindOf(declaredAccess(context));
    if (!this.database.wasOpened) {
      throw new UnavailableError('The service is starting: its database is not ready yet');
    }
    // A request refused now would otherwise wait for a connection, and for its answer.
    if (this.database.isAway(poolOf(kind))) throw new UnavailableError('The database is unavailable');
    // A connection that is gone has no address; such requests share one count.
    const address = addressKey(requestOf(context).ip ?? '');
    // See `WaitingRoute`: the request is refused if there is no slot, and takes none.
    const isWaiting = Reflect.getMetadata(WAITING_ROUTE, handler) === true;
    const outcome = isWaiting ? this.requests.look(kind, address) : this.requests.take(kind, address);
    if (outcome !== 'taken') refusedRequests.inc({ kind, reason: outcome });
    if (outcome !== 'taken') throw new TooManyConcurrentRequestsError(outcome === 'all_full');
    if (!isWaiting) this.releaseAfter(responseOf(context), kind, address);
    return true;
  }

  /**
   * Releases the slot of a small reply when it is made, that of a large one when it was sent or its caller has
   * disconnected.
   */
  private releaseAfter(response: Response, kind: RequestKind, address: string): void {
    let isTaken = true;
    const release = () => {
      if (!isTaken) return;
      isTaken = false;
      this.requests.release(kind, address);
      if (response.statusCode < 500) this.line.noteServed();
    };
    // `finish` comes late if the client has not read the reply to an earlier request of its connection.
    const end = response.end.bind(response) as (...rest: unknown[]) => Response;
    const endAndRelease = (...rest: unknown[]) => {
      const ended = end(...rest);
      if (response.writableLength <= SMALL_REPLY_BYTES) release();
      return ended;
    };
    response.end = endAndRelease;
    response.on('close', release);
  }
}

const poolOf = (kind: RequestKind): PoolName =>
  kind === 'runtimes' || kind === 'bulk' ? 'runtimes' : 'people';

function kindOf(access: RouteAccess | undefined): RequestKind {
  switch (access?.callers) {
    case 'agent':
      return access.bulk ? 'bulk' : 'runtimes';
    case 'agent-or-user':
      return 'bulk';
    case 'user':
      return 'people';
    default:
      return 'open';
  }
}
