import { Transform } from 'class-transformer';

/** A query parameter that may be given several times: one value becomes an array of one. */
export const Repeatable = () =>
  Transform(({ value }: { value: unknown }) => (value === undefined ? undefined : [value].flat()));
