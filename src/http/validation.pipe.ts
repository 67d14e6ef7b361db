import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import type { BrokenRule } from '../errors/domain-error.js';
import { brokenRulesOf } from './broken-rules.js';
import { isRecord } from './json-record.js';
import { type LostNumber, lostNumberOf } from './lost-numbers.js';
import {
  fieldsOf,
  isLenient,
  refuse,
  TRANSFORM_OPTIONS,
  unknownParameter,
  unknownProperty,
} from './validation.js';

/** Digits of a refused number in its message. */
const LONGEST_NUMBER = 60;

/**
 * Makes each `@Body()` and `@Query()` an instance of its class, and applies the rules of the class. Both are strict: an unknown
 * field is a 422 that names it, and so is a number in a body that can't be kept. Classes marked {@link Lenient} drop them. A
 * parameter without a class is handed on as it came.
 *
 * Nest's own ValidationPipe would remove keys like `constructor` from values that must stay unchanged.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  /** @throws InvalidError with a message for each violated rule */
  transform(given: unknown, { type, metatype }: ArgumentMetadata): unknown {
    const isPart = type === 'body' || type === 'query';
    if (!isPart || metatype === undefined || metatype === Object) return given;
    const fields = fieldsOf(given);
    const instance = plainToInstance(metatype, fields, TRANSFORM_OPTIONS) as object;
    const broken = brokenRulesOf(instance);
    refuse(isLenient(metatype) ? broken : [...unknownFields(type, fields, instance), ...broken]);
    return instance;
  }
}

function unknownFields(
  type: 'body' | 'query',
  fields: Record<string, unknown>,
  instance: object,
): BrokenRule[] {
  const unknown = unknownNames(fields, instance);
  if (type === 'query') return unknown.map((name) => unknownParameter(name, Object.keys(instance)));
  const lost = lostNumberOf(fields);
  return [...unknown.map(unknownProperty), ...(lost ? [cannotKeep(lost)] : [])];
}

/** The paths of properties that the class of a body or query does not have, nor the classes of objects in it. */
function unknownNames(given: unknown, taken: unknown, path = ''): string[] {
  if (!isRecord(given) || !isOfOwnClass(taken)) return [];
  return Object.keys(given).flatMap((name) =>
    Object.hasOwn(taken, name)
      ? unknownNames(given[name], taken[name], `${path}${name}.`)
      : [`${path}${name}`],
  );
}

/** False for values that are kept as they came: they may have any properties. */
function isOfOwnClass(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && ![Object.prototype, null].includes(Object.getPrototypeOf(value) as object);
}

function cannotKeep({ path, number }: LostNumber): BrokenRule {
  const shown = number.length <= LONGEST_NUMBER ? number : `${number.slice(0, LONGEST_NUMBER)}…`;
  const message = `${path} is ${shown}, which JSON numbers can't represent exactly: send it as a string`;
  return { field: path, code: 'invalid_value', message };
}
