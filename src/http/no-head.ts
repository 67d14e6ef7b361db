import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  NotFoundException,
  UseGuards,
} from '@nestjs/common';
import type { Request } from 'express';
import { ApiErrors } from './openapi/api-errors.js';

@Injectable()
class NoHeadGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<Request>().method === 'HEAD') throw new NotFoundException();
    return true;
  }
}

/**
 * For a GET that has an effect. Express answers HEAD with GET's handler and drops the body; here what the handler has
 * handed out would be lost with it, so HEAD is a 404, as every method is that a route does not have.
 */
export const NoHead = () =>
  applyDecorators(
    UseGuards(NoHeadGuard),
    ApiErrors({ 404: 'The method is HEAD: what GET hands out would be lost.' }),
  );
