import { Column, type ColumnOptions, type ValueTransformer } from 'typeorm';

/** TypeORM makes a `Date` of a time when it hydrates an entity; this converts it to text again. */
const AS_TEXT: ValueTransformer = {
  from: (value: Date | null) => value?.toISOString() ?? null,
  to: (value: unknown) => value,
};

/** A `timestamptz` column. The property holds ISO text, whether the row is hydrated or raw. */
export function TimestampColumn(
  options: Omit<ColumnOptions, 'type' | 'transformer'> = {},
): PropertyDecorator {
  return Column('timestamptz', { ...options, transformer: AS_TEXT });
}
