import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { InvalidError } from '../errors/domain-error.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether PostgreSQL accepts the text as a `uuid`, of any version. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** Accepts UUIDs of any version, so that an unknown one is a 404. Nest's own pipe refuses those of no RFC version. */
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
