import { type CanActivate, type Type, UseGuards } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { requestOf } from '../access/http-context.js';
import { InvalidError } from '../errors/domain-error.js';
import { satisfiesRules } from './compiled-rules.js';
import { declaredInstance } from './declared-body.js';
import { isRecord } from './json-record.js';
import { requestPart } from './request-part.js';

const lenientBodies = new WeakSet<object>();

/** Marks a body class whose unknown properties are ignored, so that a newer agent can talk to an older service. */
export const LenientBody = (): ClassDecorator => (target) => void lenientBodies.add(target);

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
 * The request's body, as an instance of the parameter's class. Control-plane bodies are strict: an unknown property is a 422 that
 * names it. Those of bodies marked {@link LenientBody} are dropped.
 */
export const ValidBody = () =>
  requestPart('body', (given, type) => validated(given, type, lenientBodies.has(type)));

/** The request's query, as an instance of the parameter's class. Unknown parameters are dropped. */
export const ValidQuery = () => requestPart('query', (given, type) => validated(given, type, true));

/** The body as it came, for a service that reads it by itself; an absent one is an empty object. */
export const UnreadBody = () => requestPart('body', presentBody);

class NoProperties {}

const EMPTY_BODY: CanActivate = {
  canActivate: (context) => validated(requestOf(context).body, NoProperties, false) instanceof NoProperties,
};

/**
 * The route takes no body: an absent one and an empty object will do. A property is a 422 that names it, as in every strict body,
 * because whoever sends one expects something of it. The document has the 422 with a path's parameters; a route without any
 * says it with `ApiErrors`.
 */
export const NoBody = () => UseGuards(EMPTY_BODY);

/** Express leaves an absent body undefined; as an empty object, each required property fails its own rule. */
function presentBody(given: unknown): unknown {
  return given === undefined ? {} : given;
}

/** @throws InvalidError with a message for each rule that is broken */
function validated(value: unknown, type: Type<object>, isLenient: boolean): object {
  const given = presentBody(value);
  if (!isRecord(given)) throw new InvalidError(['The body must be an object']);
  const { instance, undeclared } = declaredInstance(given, type);
  const surplus = isLenient ? [] : undeclared;
  if (surplus.length === 0 && satisfiesRules(instance, type)) return instance;
  const broken = messagesOf(validateSync(instance, { forbidUnknownValues: false }));
  const messages = [...surplus.map((name) => `property ${name} should not exist`), ...broken];
  if (messages.length > 0) throw new InvalidError(messages);
  return instance;
}
