import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { ROLES } from '../access/roles.js';
import { AnyJson } from './request-fields.js';

const MAXIMUM_ENTRIES = 100;

interface NamedRole {
  /** The property beside `role`. */
  readonly name: string;
  readonly isName: (value: unknown) => boolean;
  /** What it must be, for the message. */
  readonly asked: string;
}

/** Accepts a list of at most 100 objects, each with a name, once, and a `role`. @param entry documents one of them */
export function RoleListField(
  entry: Type,
  { name, isName, asked }: NamedRole,
  documented: { readonly description: string },
): PropertyDecorator {
  const isEntry = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).sort().join() === [name, 'role'].sort().join() &&
    isName((value as Record<string, unknown>)[name]) &&
    (ROLES as readonly unknown[]).includes((value as Record<string, unknown>).role);
  const isList = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length <= MAXIMUM_ENTRIES &&
    value.every(isEntry) &&
    new Set(value.map((each: Record<string, unknown>) => each[name])).size === value.length;
  return applyDecorators(
    ApiProperty({ type: [entry], required: false, maxItems: MAXIMUM_ENTRIES, ...documented }),
    AnyJson(),
    ValidateIf((_, value) => value !== undefined),
    ValidateBy({
      name: 'roleList',
      validator: {
        validate: isList,
        defaultMessage: (rule) =>
          `${rule?.property} must be a list of at most ${MAXIMUM_ENTRIES} objects with ${name}, ${asked} and each once, and role, one of ${ROLES.join(', ')}`,
      },
    }),
  );
}
