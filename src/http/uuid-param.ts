import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { InvalidError } from '../errors/domain-error.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether PostgreSQL would take it as a `uuid`, of whatever version. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** Nest's own pipe refuses UUIDs that are of no RFC version; such a one is merely unknown here: a 404. */
export class UuidPipe implements PipeTransform<string, string> {
  constructor(private readonly name: string) {}

  transform(value: string): string {
    if (!isUuid(value)) throw new InvalidError([`${this.name} must be a UUID`]);
    return value.toLowerCase();
  }
}

/** A path parameter that is a UUID; a malformed one is a 422. */
export function UuidParam(name: string): ParameterDecorator {
  return (target, propertyKey, index) => {
    Param(name, new UuidPipe(name))(target, propertyKey, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, propertyKey as string) as PropertyDescriptor;
    ApiParam({ name, schema: { type: 'string', format: 'uuid' } })(target, propertyKey as string, descriptor);
  };
}
