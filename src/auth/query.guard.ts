import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { declaredAccess } from '../access/declared-access.js';
import { requestOf } from '../access/http-context.js';
import { WITHOUT_DATABASE } from '../access/without-database.js';
import { refuse, unknownParameter } from '../http/validation.js';

/**
 * Refuses the query parameters of a route of people that reads none, as `RequestValidationPipe` refuses unknown ones of
 * the other routes: their sender expects an effect. Runtimes may be newer than the service; probes and the gateway of
 * assistants get addresses from other programs.
 */
@Injectable()
export class QueryGuard implements CanActivate {
  /** @throws InvalidError naming each parameter */
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    if (!request.url.includes('?') || !isStrict(context) || readsQuery(context)) return true;
    refuse(Object.keys(request.query).map((name) => unknownParameter(name, [])));
    return true;
  }
}

function isStrict(context: ExecutionContext): boolean {
  const access = declaredAccess(context);
  if (access?.callers === 'user') return !access.gateway;
  return access?.callers === 'public' && !Reflect.getMetadata(WITHOUT_DATABASE, context.getHandler());
}

/** Nest keeps a handler's parameters by kind and position, such as `4:0`. */
function readsQuery(context: ExecutionContext): boolean {
  const parameters = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  ) as object | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
