import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { InvalidError } from '../errors/domain-error.js';

/** The largest `integer` of PostgreSQL. */
const MAXIMUM = 2_147_483_647;
const DIGITS = /^[1-9]\d{0,9}$/;

/** A path parameter that is a whole number from 1 to the largest `integer` of PostgreSQL; anything else is a 422. */
export function WholeNumberParam(name: string): ParameterDecorator {
  return (target, propertyKey, index) => {
    Param(name, new WholeNumberPipe(name))(target, propertyKey, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, propertyKey as string) as PropertyDescriptor;
    ApiParam({ name, schema: { type: 'integer', minimum: 1, maximum: MAXIMUM } })(
      target,
      propertyKey as string,
      descriptor,
    );
  };
}

class WholeNumberPipe implements PipeTransform<string, number> {
  constructor(private readonly name: string) {}

  transform(value: string): number {
    if (!DIGITS.test(value) || Number(value) > MAXIMUM) {
      throw new InvalidError([`${this.name} must be a whole number from 1 to ${MAXIMUM}`]);
    }
    return Number(value);
  }
}
