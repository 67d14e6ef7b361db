import { Transform } from 'class-transformer';

/** Removes white space around a string before it is validated. */
export const Trimmed = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
