import { applyDecorators, type Type } from '@nestjs/common';
import { Transform, Type as TransformedTo } from 'class-transformer';
import { ArrayMaxSize, getMetadataStorage, IsArray, IsObject, ValidateNested } from 'class-validator';
import { InvalidError } from '../errors/domain-error.js';

const VERBATIM = Symbol('verbatim');
const LIST = Symbol('list');

/**
 * Marks a property whose value is stored unchanged. Without it, Nest and class-transformer rebuild the value, and leave
 * out properties named `constructor` or `prototype`.
 *
 * @param read converts the value; a `Transform` would not see it
 */
export const Verbatim =
  (read = (value: unknown): unknown => value): PropertyDecorator =>
  (target, property) => {
    Reflect.defineMetadata(VERBATIM, true, target, property);
    // The value is wrapped in a function, so that class-transformer does not walk it; see `declaredPart`.
    Transform(({ value }: { value: () => unknown }) => read(value()))(target, property);
  };

/** Marks a property that is an array of objects, each validated as an instance of a class. */
export const ListOf = (type: () => Type, { max }: { readonly max: number }): PropertyDecorator =>
  applyDecorators(
    (target: object, property: string | symbol) => Reflect.defineMetadata(LIST, type, target, property),
    IsArray(),
    ArrayMaxSize(max),
    // Without this rule an array within the array would be validated as an array of objects.
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    TransformedTo(type),
  );

interface Property {
  readonly isVerbatim: boolean;
  /** The property may be an array. */
  readonly isList: boolean;
  readonly maximumSize: number;
  /** The class of the array's elements, if they are objects. */
  readonly elementType: Type | undefined;
}

type Shape = ReadonlyMap<string, Property>;

const shapes = new Map<Type, Shape>();

/** The properties that a body class declares, according to its validation rules. */
function shapeOf(type: Type): Shape {
  const known = shapes.get(type);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  const shape = new Map([...names].map((name) => [name, propertyOf(type, name)]));
  shapes.set(type, shape);
  return shape;

  function propertyOf({ prototype }: Type, name: string): Property {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const isVerbatim = Reflect.getMetadata(VERBATIM, prototype as object, name) === true;
    const elementType = (
      Reflect.getMetadata(LIST, prototype as object, name) as (() => Type) | undefined
    )?.();
    const takesObjects = own.some((rule) => rule.name === 'isObject' || rule.type === 'nestedValidation');
    if (takesObjects && !isVerbatim && !elementType)
      throw new Error(`${type.name}.${name} takes objects: it needs @Verbatim() or @ListOf()`);
    const sizes = own
      .filter((rule) => rule.name === 'arrayMaxSize')
      .map((rule) => Number(rule.constraints[0]));
    return {
      isVerbatim,
      isList: own.some((rule) => rule.each || rule.name === 'isArray'),
      maximumSize: Math.min(...sizes),
      elementType,
    };
  }
}

/** Replaces an object or array that the class does not declare; empty, it breaks the same rules. */
const OUT_OF_PLACE = Object.freeze({});
const LIST_OUT_OF_PLACE = Object.freeze([]);

export interface DeclaredPart {
  readonly body: Record<string, unknown>;
  /** Names of properties that the class does not declare, with the path to them. */
  readonly undeclared: readonly string[];
}

/**
 * The part of a body that its class declares, for class-transformer and class-validator. They need quadratic time: an
 * object of 90,000 keys, wherever it was, stopped the process for eight seconds. So they get no undeclared object and no
 * array that is too long.
 *
 * @throws InvalidError when an array has more elements than it may have
 */
export function declaredPart(body: Record<string, unknown>, type: Type): DeclaredPart {
  const undeclared: string[] = [];
  return { body: partOf(body, type, ''), undeclared };

  function partOf(source: Record<string, unknown>, of: Type, path: string): Record<string, unknown> {
    const shape = shapeOf(of);
    const part: Record<string, unknown> = {};
    // `Object.keys` leaves out inherited keys, and lists `__proto__` as an ordinary, undeclared key.
    for (const name of Object.keys(source)) {
      const property = shape.get(name);
      if (property) part[name] = valueOf(source[name], property, `${path}${name}`);
      else undeclared.push(`${path}${name}`);
    }
    return part;
  }

  function valueOf(value: unknown, property: Property, path: string): unknown {
    if (property.isVerbatim) return () => value;
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) return OUT_OF_PLACE;
    if (!property.isList) return LIST_OUT_OF_PLACE;
    if (value.length > property.maximumSize)
      throw new InvalidError([`${path} must contain no more than ${property.maximumSize} elements`]);
    return value.map((element: unknown, index) => elementOf(element, property, `${path}.${index}.`));
  }

  function elementOf(element: unknown, { elementType }: Property, path: string): unknown {
    if (typeof element !== 'object' || element === null) return element;
    if (Array.isArray(element)) return LIST_OUT_OF_PLACE;
    return elementType ? partOf(element as Record<string, unknown>, elementType, path) : OUT_OF_PLACE;
  }
}
