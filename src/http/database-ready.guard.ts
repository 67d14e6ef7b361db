import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { WITHOUT_DATABASE } from '../access/without-database.js';
import { Database } from '../database/database.js';
import { UnavailableError } from '../errors/domain-error.js';

/** Until the first connection to the database stands, data routes are a 503, whoever calls. */
@Injectable()
export class DatabaseReadyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly database: Database,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.database.state !== 'initializing') return true;
    if (this.reflector.get<boolean | undefined>(WITHOUT_DATABASE, context.getHandler())) return true;
    throw new UnavailableError('The service is starting: its database is not ready yet', 2);
  }
}
