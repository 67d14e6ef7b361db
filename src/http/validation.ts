import {
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
  type ValidationError,
  ValidationPipe,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { Transform } from 'class-transformer';
import { InvalidError } from '../errors/domain-error.js';

const LENIENT = Symbol('lenient-body');
const VERBATIM = Symbol('verbatim-properties');

/** No property is called so: whoever sends one means to reach an object's prototype. */
const RESERVED = ['__proto__', 'constructor', 'prototype'];

/** Marks a body class whose unknown properties are ignored, so that a newer agent can talk to an older service. */
export const LenientBody = (): ClassDecorator => (target) => Reflect.defineMetadata(LENIENT, true, target);

export function isLenientBody(type: Type | undefined): boolean {
  return type !== undefined && Reflect.getMetadata(LENIENT, type) === true;
}

/**
 * A property of a body whose value is the sender's own affair and kept to the letter. Without it, Nest and
 * class-transformer rebuild the value, and leave out whatever is called `constructor` or `prototype` in it.
 *
 * @param read what becomes of the value; the place of a `Transform`, which would not see it
 */
export const Verbatim =
  (read = (value: unknown): unknown => value): PropertyDecorator =>
  (target, property) => {
    Reflect.defineMetadata(VERBATIM, [...verbatimProperties(target), property], target);
    Transform(({ value }: { value: () => unknown }) => read(value()))(target, property);
  };

function verbatimProperties(prototype: object | undefined): readonly string[] {
  return prototype ? ((Reflect.getMetadata(VERBATIM, prototype) as string[] | undefined) ?? []) : [];
}

/** One string for each failed rule; rules of nested objects are preceded by the path to them. */
export function messagesOf(errors: readonly ValidationError[], path = ''): string[] {
  return errors.flatMap((error) => [
    ...Object.values(error.constraints ?? {}).map((message) => (path ? `${path}.${message}` : message)),
    ...messagesOf(error.children ?? [], path ? `${path}.${error.property}` : error.property),
  ]);
}

const common: ValidationPipeOptions = {
  transform: true,
  whitelist: true,
  validationError: { target: false, value: false },
  exceptionFactory: (errors) => new InvalidError(messagesOf(errors)),
};

/**
 * Control-plane bodies are strict: an unknown property is a 422 that names it. Queries and bodies marked
 * {@link LenientBody} drop what they don't know.
 */
export class RequestValidationPipe implements PipeTransform {
  private readonly strict = new ValidationPipe({ ...common, forbidNonWhitelisted: true });
  private readonly lenient = new ValidationPipe(common);

  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'body') return this.lenient.transform(value, metadata);
    // Express leaves an absent body undefined; each required property then fails its own rule.
    const body = value ?? {};
    if (!isRecord(body)) throw new InvalidError(['The body must be an object']);
    if (isLenientBody(metadata.metatype))
      return this.lenient.transform(withVerbatim(body, metadata), metadata);
    const reserved = RESERVED.filter((name) => Object.hasOwn(body, name));
    if (reserved.length > 0)
      throw new InvalidError(reserved.map((name) => `property ${name} should not exist`));
    return this.strict.transform(withVerbatim(body, metadata), metadata);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Hides verbatim values in functions: nothing on the way to the property's `Transform` looks into those. */
function withVerbatim(
  body: Record<string, unknown>,
  { metatype }: ArgumentMetadata,
): Record<string, unknown> {
  const present = verbatimProperties(metatype?.prototype as object | undefined).filter((name) =>
    Object.hasOwn(body, name),
  );
  if (present.length === 0) return body;
  return { ...body, ...Object.fromEntries(present.map((name) => [name, () => body[name]])) };
}
