import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Bounds in a body. `max` may be absent if only the service knows the limit. */
export interface BodyBounds {
  readonly min: number;
  readonly max?: number;
}

/**
 * Decimal notation only: `Number` also accepts `0x10`, `1e1` and blanks. Other texts stay unchanged, and are then
 * refused.
 */
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Validates a number in a query, from `min` to `max`, with a single message. */
export const NumberBetween = (bounds: Bounds) => applyDecorators(FromText(), NumberInBody(bounds));

/** Validates a whole number in a query, from `min` to `max`, with a single message. */
export const WholeNumberBetween = (bounds: Bounds) => applyDecorators(FromText(), WholeNumberInBody(bounds));

/** Validates a parameter of a query that comes several times: whole numbers, each from `min` to `max`, with a single message. */
export const WholeNumbersBetween = (bounds: Bounds) =>
  applyDecorators(FromTexts(), ruleOf('a whole number', bounds, Number.isSafeInteger, true));

/** Validates a finite number in a body with a single message; a text is refused. */
export const NumberInBody = (bounds: BodyBounds) => ruleOf('a number', bounds, Number.isFinite);

/** Validates a whole number in a body with a single message; a text is refused. */
export const WholeNumberInBody = (bounds: BodyBounds) =>
  ruleOf('a whole number', bounds, Number.isSafeInteger);

const FromText = (): PropertyDecorator => Transform(({ value }: { value: unknown }) => numberOf(value));
const FromTexts = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    value === undefined ? undefined : [value].flat().map(numberOf),
  );

function numberOf(value: unknown): unknown {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
}

function ruleOf(
  what: string,
  { min, max = Infinity }: BodyBounds,
  isOfKind: (value: number) => boolean,
  each = false,
): PropertyDecorator {
  const upTo = max === Infinity ? 'on' : `to ${max}`;
  return ValidateBy(
    {
      name: 'numberBetween',
      validator: {
        validate: (value) => typeof value === 'number' && value >= min && value <= max && isOfKind(value),
        defaultMessage: (rule) => `${rule?.property} must be ${what} from ${min} ${upTo}`,
      },
    },
    { each },
  );
}
