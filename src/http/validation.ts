import { type CanActivate, UseGuards } from '@nestjs/common';
import { requestOf } from '../access/http-context.js';
import { type BrokenRule, InvalidError } from '../errors/domain-error.js';
import { isRecord } from './json-record.js';
import { nearestName } from './nearest-name.js';

/**
 * Options of class-transformer for requests: properties without `Taken` are left out, and absent ones stay absent.
 * `ignoreDecorators` ignores other names and groups of `@Expose` alone, which no field has: it would look for them among all
 * properties for each of them.
 */
export const TRANSFORM_OPTIONS = {
  excludeExtraneousValues: true,
  exposeUnsetFields: false,
  ignoreDecorators: true,
};

const lenient = new WeakSet<object>();

/** Marks a class of a body or query whose unknown fields are ignored, so that a newer agent can talk to an older service. */
export const Lenient = (): ClassDecorator => (target) => void lenient.add(target);

export const isLenient = (type: object): boolean => lenient.has(type);

/**
 * Declares a route without a body: an absent one and an empty object are accepted. A property is a 422 that names it,
 * as in every strict body, because its sender expects an effect. The document has the 422 with a path's parameters; a
 * route without any declares it with `ApiErrors`.
 */
export const NoBody = () => UseGuards(EMPTY_BODY);

const EMPTY_BODY: CanActivate = {
  canActivate(context) {
    refuse(Object.keys(fieldsOf(requestOf(context).body)).map(unknownProperty));
    return true;
  },
};

/** Express leaves an absent body undefined; as an empty object, each required property violates its own rule. */
export function fieldsOf(given: unknown): Record<string, unknown> {
  const fields = given === undefined ? {} : given;
  if (!isRecord(fields)) throw InvalidError.of(null, 'wrong_type', 'The body must be an object');
  return fields;
}

export function unknownProperty(name: string): BrokenRule {
  return { field: name, code: 'unknown_property', message: `property ${name} should not exist` };
}

/** @param known names of the route's parameters */
export function unknownParameter(name: string, known: readonly string[]): BrokenRule {
  // `status[]` is how some clients write a parameter that comes several times.
  const meant = nearestName(name.replace(/^([^[]*)\[.*\]$/s, '$1'), known);
  const all = known.length === 0 ? 'the route has none' : `there are ${known.join(', ')}`;
  const hint = meant === null ? all : `did you mean "${meant}"?`;
  const message = `query parameter ${name} should not exist: ${hint}`;
  return { field: name, code: 'unknown_parameter', message };
}

/** @throws InvalidError if there are any */
export function refuse(rules: readonly BrokenRule[]): void {
  if (rules.length > 0) throw new InvalidError(rules);
}
