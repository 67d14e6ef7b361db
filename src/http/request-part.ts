import type { ExecutionContext, Type } from '@nestjs/common';
import { CUSTOM_ROUTE_ARGS_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import { requestOf } from '../access/http-context.js';

/**
 * Makes a decorator of a handler's parameter that reads and checks a part of the request. It does so at once: for a pipe Nest
 * waits for five promises, and for a global one it does so for each parameter of every handler. So the parameter is one of our own to Nest,
 * without pipes, under a key by which Swagger takes it for the body or the query that it is.
 *
 * @param read makes the argument; `type` is the declared class of the parameter
 */
export function requestPart(
  part: 'body' | 'query',
  read: (given: unknown, type: Type<object>) => unknown,
): ParameterDecorator {
  const kind = part === 'body' ? RouteParamtypes.BODY : RouteParamtypes.QUERY;
  return (target, name, index) => {
    // TypeScript sets it before the parameters are decorated.
    const type = (Reflect.getMetadata('design:paramtypes', target, name!) as Type<object>[])[index]!;
    const factory = (_: unknown, context: ExecutionContext) => read(requestOf<Request>(context)[part], type);
    const others = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, name!) as object | undefined;
    const own = { [`${kind}:${CUSTOM_ROUTE_ARGS_METADATA}:${index}`]: { index, factory, pipes: [] } };
    Reflect.defineMetadata(ROUTE_ARGS_METADATA, { ...others, ...own }, target.constructor, name!);
  };
}
