import { createHash } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { principalOf } from '../../access/caller.js';
import { actorOf } from '../../access/principal.js';
import { Transactor } from '../../database/transactor.js';
import { ConflictError, InvalidError } from '../../errors/domain-error.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { keyHashOf, openReply, sealReply } from './sealed-reply.js';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

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
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) return next.handle();
    if (typeof key !== 'string' || !PRINTABLE.test(key)) {
      throw new InvalidError(['Idempotency-Key must be 1 to 255 printable characters']);
    }
    return from(this.once(key, context, next));
  }

  private async once(key: string, context: ExecutionContext, next: CallHandler): Promise<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const principal = principalOf(context);
    const caller = principal ? actorOf(principal) : `address:${request.ip}`;
    const keyHash = keyHashOf(caller, key);
    const fingerprint = fingerprintOf(request);
    return this.transactor.runEnclosing(async (tx) => {
      if (!(await this.records.tryLock(tx, keyHash))) {
        throw new ConflictError('A request with this Idempotency-Key is still running');
      }
      const record = await this.records.find(tx, keyHash);
      if (record) {
        if (!record.fingerprint.equals(fingerprint)) {
          throw new InvalidError(['Idempotency-Key was already used for another request']);
        }
        response.status(record.statusCode).setHeader('Idempotency-Replayed', 'true');
        return JSON.parse(openReply(caller, key, record.sealedReply)) as unknown;
      }
      const reply: unknown = await lastValueFrom(next.handle());
      const sealedReply = sealReply(caller, key, JSON.stringify(reply));
      await this.records.save(tx, { keyHash, fingerprint, statusCode: response.statusCode, sealedReply });
      return reply;
    });
  }
}

function fingerprintOf(request: Request): Buffer {
  const body = JSON.stringify(request.body ?? {});
  return createHash('sha256').update(`${request.method}\n${request.path}\n${body}`).digest();
}
