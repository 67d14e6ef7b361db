import {
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
  type ValidationError,
  ValidationPipe,
} from '@nestjs/common';
import { InvalidError } from '../errors/domain-error.js';
import { declaredPart } from './declared-body.js';

const LENIENT = Symbol('lenient-body');

/** Marks a body class whose unknown properties are ignored, so that a newer agent can talk to an older service. */
export const LenientBody = (): ClassDecorator => (target) => Reflect.defineMetadata(LENIENT, true, target);

export function isLenientBody(type: Type): boolean {
  return Reflect.getMetadata(LENIENT, type) === true;
}

/** One message for each failed rule; rules of nested objects begin with the path to them. */
export function messagesOf(errors: readonly ValidationError[], path = ''): string[] {
  return errors.flatMap((error) => [
    ...Object.values(error.constraints ?? {}).map((message) => (path ? `${path}.${message}` : message)),
    ...messagesOf(error.children ?? [], path ? `${path}.${error.property}` : error.property),
  ]);
}

/**
 * Control-plane bodies are strict: an unknown property is a 422 that names it. Unknown properties of queries and
 * of bodies marked {@link LenientBody} are dropped.
 */
export class RequestValidationPipe implements PipeTransform {
  private readonly rules = new ValidationPipe({
    transform: true,
    whitelist: true,
    validationError: { target: false, value: false },
    exceptionFactory: (errors) => new InvalidError(messagesOf(errors)),
  });

  transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    return metadata.type === 'body'
      ? this.transformBody(value, metadata)
      : this.rules.transform(value, metadata);
  }

  private async transformBody(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // Express leaves an absent body undefined; as an empty object, each required property fails its own rule.
    const given = value === undefined ? {} : value;
    if (!isRecord(given)) throw new InvalidError(['The body must be an object']);
    const { metatype } = metadata;
    // A route that reads its body itself declares no class.
    if (!metatype || metatype === Object) return given;
    const { body, undeclared } = declaredPart(given, metatype);
    if (undeclared.length === 0 || isLenientBody(metatype)) return this.rules.transform(body, metadata);
    const surplus = undeclared.map((name) => `property ${name} should not exist`);
    throw new InvalidError([...surplus, ...(await this.brokenRules(body, metadata))]);
  }

  private async brokenRules(body: unknown, metadata: ArgumentMetadata): Promise<readonly string[]> {
    try {
      await this.rules.transform(body, metadata);
      return [];
    } catch (error) {
      if (error instanceof InvalidError) return error.messages;
      throw error;
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
