import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Transactor } from '../../database/transactor.js';
import { ConflictError } from '../../errors/domain-error.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { type KeyedRequest, keyedRequestOf, keyWasUsed, markReplayed } from './keyed-request.js';
import { openReply, sealReply } from './sealed-reply.js';

/**
 * Runs the whole handler and the record of its reply in one transaction: after a crash either both are there or
 * neither, so a retry finds the reply or does the work, never both. A request that fails leaves no record.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly transactor: Transactor,
    private readonly records: IdempotencyRepository,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const keyed = keyedRequestOf(context);
    if (!keyed) return next.handle();
    return from(this.once(keyed, context.switchToHttp().getResponse<Response>(), next));
  }

  private async once(
    { key, caller, keyHash, fingerprint }: KeyedRequest,
    response: Response,
    next: CallHandler,
  ): Promise<unknown> {
    return this.transactor.runEnclosing(async (tx) => {
      if (!(await this.records.tryLock(tx, keyHash))) {
        throw new ConflictError('A request with this Idempotency-Key is still running');
      }
      const record = await this.records.find(tx, keyHash);
      if (record) {
        if (!record.fingerprint.equals(fingerprint)) throw keyWasUsed();
        response.status(record.statusCode);
        markReplayed(response);
        return JSON.parse(openReply(caller, key, record.sealedReply)) as unknown;
      }
      const reply: unknown = await lastValueFrom(next.handle());
      const sealedReply = sealReply(caller, key, JSON.stringify(reply));
      await this.records.save(tx, { keyHash, fingerprint, statusCode: response.statusCode, sealedReply });
      return reply;
    });
  }
}
