import { applyDecorators, type Type as Class } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import type { BrokenRule } from '../errors/domain-error.js';
import { brokenRulesOf } from './broken-rules.js';
import { isRecord } from './json-record.js';
import { TRANSFORM_OPTIONS } from './validation.js';
import { Rule, Taken } from './request-fields.js';

/** A list whose entries are validated one by one: an entry that breaks a rule costs no other one. */
export class TakenEntries<Entry> {
  constructor(
    readonly taken: readonly Entry[],
    /** The rules that the other entries break. */
    readonly refused: readonly BrokenRule[],
  ) {}
}

/** Declares an array of objects, which becomes {@link TakenEntries}. Only a value that is no array, or too long, is refused. */
export const EntriesOf = (type: () => Class<object>, { max }: { readonly max: number }) =>
  applyDecorators(
    Taken(),
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) =>
      entriesOf(obj[key], type(), key, max),
    ),
    Rule(
      'isArray',
      (value) => value instanceof TakenEntries || Array.isArray(value),
      (property) => `${property} must be an array`,
    ),
    Rule(
      'arrayMaxSize',
      (value) => !Array.isArray(value),
      (property) => `${property} must contain no more than ${max} elements`,
    ),
  );

/** @returns the value itself if it is refused as a whole */
function entriesOf(list: unknown, type: Class<object>, name: string, max: number): unknown {
  if (!Array.isArray(list) || list.length > max) return list;
  const taken: object[] = [];
  const refused: BrokenRule[] = [];
  for (const [at, entry] of (list as unknown[]).entries()) {
    const path = `${name}.${at}`;
    const instance = isRecord(entry) && plainToInstance(type, entry, TRANSFORM_OPTIONS);
    const broken = instance
      ? brokenRulesOf(instance, `${path}.`)
      : [{ field: path, code: 'wrong_type' as const, message: `${path} must be an object` }];
    if (instance && broken.length === 0) taken.push(instance);
    else refused.push(...broken);
  }
  return new TakenEntries(taken, refused);
}
