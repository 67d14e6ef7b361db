import type { Response } from 'express';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { declaredAccess } from '../access/declared-access.js';
import { requestOf, responseOf } from '../access/http-context.js';
import type { RouteAccess } from '../access/route-access.js';
import { routeFact } from '../access/route-fact.js';
import { WAITING_ROUTE } from '../access/waiting-route.js';
import { WITHOUT_DATABASE } from '../access/without-database.js';
import type { PlaceKind } from '../budget/place-limits.js';
import { Database } from '../database/database.js';
import { OverloadedError, UnavailableError } from '../errors/domain-error.js';
import { refusedRequests } from '../observability/instruments.js';
import { Places } from './places.js';
import { addressKey } from './rate-limit/address-key.js';
import { retryAfterSeconds } from './retry-after.js';
import { RetryLine } from './retry-line.js';

/** A client that takes no reply must not hold places with requests behind it; what it holds in memory is bounded by them. */
const SMALL_REPLY_BYTES = 16_384;

interface Admission {
  readonly kind: PlaceKind;
  /** See `WaitingRoute`: it is refused when there is no place, and takes none. */
  readonly isWaiting: boolean;
}

/** The first guard: refuses requests at once while the service is overloaded or its database is starting. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    private readonly places: Places,
    private readonly database: Database,
    private readonly line: RetryLine,
  ) {}

  /** @throws OverloadedError, UnavailableError */
  canActivate(context: ExecutionContext): boolean {
    const admission = admissionOf(context);
    if (!admission) return true;
    if (!this.database.wasOpened) {
      throw new UnavailableError('The service is starting: its database is not ready yet');
    }
    // A connection that is gone has no address; such requests share one count.
    const address = addressKey(requestOf(context).ip ?? '');
    const { kind, isWaiting } = admission;
    const outcome = isWaiting ? this.places.look(kind, address) : this.places.take(kind, address);
    if (outcome !== 'taken') refusedRequests.inc({ kind, reason: outcome });
    if (outcome === 'all_full') throw new OverloadedError(true);
    // One address must not make the line longer for all others.
    if (outcome === 'address_full') throw new OverloadedError(false, retryAfterSeconds());
    if (!isWaiting) {
      this.holdPlace(kind, address, responseOf(context));
    }
    return true;
  }

  /** A small reply gives the place back when it is made, a large one when it was sent or its caller has gone. */
  private holdPlace(kind: PlaceKind, address: string, response: Response): void {
    let isHeld = true;
    const giveBack = () => {
      if (!isHeld) return;
      isHeld = false;
      this.places.giveBack(kind, address);
      if (response.statusCode < 500) this.line.noteServed();
    };
    response.on('answered', () => {
      if (response.writableLength <= SMALL_REPLY_BYTES) giveBack();
    });
    response.on('close', giveBack);
  }
}

/** The admission of a route; null: always admitted. Health checks matter most during an overload. */
const admissionOf = routeFact((context): Admission | null => {
  const handler = context.getHandler();
  if (Reflect.getMetadata(WITHOUT_DATABASE, handler)) return null;
  return {
    kind: kindOf(declaredAccess(context)),
    isWaiting: Reflect.getMetadata(WAITING_ROUTE, handler) === true,
  };
});

function kindOf(access: RouteAccess | undefined): PlaceKind {
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
