import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** `Number` itself takes `0x10`, `1e1` and blanks, too. What is none of these stays as it is, to be refused. */
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A number in a query, from `min` to `max`; anything else breaks this one rule. */
export const NumberBetween = (bounds: Bounds) => ruleOf('a number', bounds, () => true);

/** A whole number in a query, from `min` to `max`; anything else breaks this one rule. */
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
