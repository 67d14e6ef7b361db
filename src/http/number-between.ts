import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Decimal notation only: `Number` also accepts `0x10`, `1e1` and blanks. Other text is left as it is, and then refused. */
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Validates a number in a query, from `min` to `max`, with a single message. */
export const NumberBetween = (bounds: Bounds) => ruleOf('a number', bounds, () => true);

/** Validates a whole number in a query, from `min` to `max`, with a single message. */
export const WholeNumberBetween = (bounds: Bounds) => ruleOf('a whole number', bounds, Number.isSafeInteger);

function ruleOf(what: string, { min, max }: Bounds, isOfKind: (value: number) => boolean): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value,
    ),
    ValidateBy({
      name: 'numberBetween',
      validator: {
        validate: (value) => typeof value === 'number' && value >= min && value <= max && isOfKind(value),
        defaultMessage: (rule) => `${rule?.property} must be ${what} from ${min} to ${max}`,
      },
    }),
  );
}
