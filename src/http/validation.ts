import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { InvalidError } from '../errors/domain-error.js';
import { satisfiesRules } from './compiled-rules.js';
import { declaredPart } from './declared-body.js';
import { isRecord } from './json-record.js';

const LENIENT = Symbol('lenient-body');

/** Marks a body class whose unknown properties are ignored, so that a newer agent can talk to an older service. */
export const LenientBody = (): ClassDecorator => (target) => Reflect.defineMetadata(LENIENT, true, target);

export function isLenientBody(type: Type): boolean {
  return Reflect.getMetadata(LENIENT, type) === true;
}

/** Rules that say which type of value is asked for. Where one of them fails, the rules of size and content mean nothing. */
const TYPE_RULES = ['isString', 'isArray', 'isObject', 'isBoolean', 'isEmail'];

/** One message for each failed rule; rules of nested objects begin with the path to them. */
export function messagesOf(errors: readonly ValidationError[], path = ''): string[] {
  return errors.flatMap((error) => [
    ...ownMessagesOf(error.constraints ?? {}).map((message) => (path ? `${path}.${message}` : message)),
    ...messagesOf(childrenOf(error), path ? `${path}.${error.property}` : error.property),
  ]);
}

/** An object in the place of an array is no entry of it, so the rules of entries mean nothing. */
function childrenOf({ constraints, children = [] }: ValidationError): ValidationError[] {
  return constraints?.isArray === undefined ? children : [];
}

function ownMessagesOf(failed: Readonly<Record<string, string>>): string[] {
  const wrongType = TYPE_RULES.flatMap((rule) => failed[rule] ?? []).slice(0, 1);
  return wrongType.length > 0 ? wrongType : Object.values(failed);
}

/**
 * Makes an instance of a route's class of each body and query. Control-plane bodies are strict: an unknown property is a
 * 422 that names it. Unknown properties of queries and of bodies marked {@link LenientBody} are dropped.
 */
export class RequestValidationPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if (type !== 'body' && type !== 'query') return value;
    // Express leaves an absent body undefined; as an empty object, each required property fails its own rule.
    const given = value === undefined ? {} : value;
    if (!isRecord(given)) throw new InvalidError(['The body must be an object']);
    // A route that reads its body itself declares no class.
    if (!metatype || metatype === Object) return given;
    const { body, undeclared } = declaredPart(given, metatype);
    const instance = plainToInstance(metatype, body) as object;
    const surplus = type === 'query' || isLenientBody(metatype) ? [] : undeclared;
    if (surplus.length === 0 && satisfiesRules(instance, metatype)) return instance;
    const broken = messagesOf(await validate(instance, { forbidUnknownValues: false }));
    const messages = [...surplus.map((name) => `property ${name} should not exist`), ...broken];
    if (messages.length > 0) throw new InvalidError(messages);
    return instance;
  }
}
