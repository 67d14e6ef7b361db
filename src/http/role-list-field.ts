import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { type Role, ROLES } from '../access/roles.js';
import { isRecord } from './json-record.js';
import { AnyJson } from './any-json.js';
import { Rule } from './request-fields.js';

const MAXIMUM_ENTRIES = 100;

/** The property that names who or what has the role: each name once. */
interface NamedBy {
  readonly name: string;
  readonly isName: (value: unknown) => boolean;
  /** The rule for the value, for messages. */
  readonly asked: string;
}

/**
 * Accepts a list of at most 100 objects, each with a name and a role.
 *
 * @param entry class of an object, for the document
 */
export const RoleListField = (
  entry: Type,
  { name, isName, asked }: NamedBy,
  documented: { readonly description: string },
) =>
  applyDecorators(
    ApiProperty({ type: [entry], required: false, maxItems: MAXIMUM_ENTRIES, ...documented }),
    AnyJson(),
    ValidateIf((_, value) => value !== undefined),
    Rule(
      'roleList',
      (value) => isRoleList(value, name, isName),
      (property) =>
        `${property} must be a list of at most ${MAXIMUM_ENTRIES} objects with ${name}, ${asked} and each once, and role, one of ${ROLES.join(', ')}`,
    ),
  );

function isRoleList(value: unknown, name: string, isName: NamedBy['isName']): boolean {
  if (!Array.isArray(value) || value.length > MAXIMUM_ENTRIES) return false;
  const names = value.map((entry: unknown) => {
    const isEntry = isRecord(entry) && Object.keys(entry).length === 2 && ROLES.includes(entry.role as Role);
    return isEntry && isName(entry[name]) ? entry[name] : undefined;
  });
  return !names.includes(undefined) && new Set(names).size === names.length;
}
