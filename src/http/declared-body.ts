import { applyDecorators, type Type } from '@nestjs/common';
import { Transform, TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { ArrayMaxSize, getMetadataStorage, IsArray, IsObject, ValidateNested } from 'class-validator';
import { InvalidError } from '../errors/domain-error.js';

const VERBATIM = Symbol('verbatim');
const LIST = Symbol('list');

/**
 * Marks a property that may be any JSON value. Of other properties, only a {@link ListOf} takes objects.
 *
 * @param read converts the value
 */
export const Verbatim = (read = (value: unknown): unknown => value): PropertyDecorator =>
  applyDecorators(
    (target: object, property: string | symbol) => Reflect.defineMetadata(VERBATIM, true, target, property),
    Transform(({ value }: { value: unknown }) => read(value)),
  );

/** Marks a property that is an array of objects, each validated as an instance of a class. */
export const ListOf = (type: () => Type, { max }: { readonly max: number }): PropertyDecorator =>
  applyDecorators(
    (target: object, property: string | symbol) => Reflect.defineMetadata(LIST, type, target, property),
    IsArray(),
    ArrayMaxSize(max),
    // Without this rule an array within the array would be validated as an array of objects.
    IsObject({ each: true }),
    ValidateNested({ each: true }),
  );

interface Property {
  readonly isVerbatim: boolean;
  /** The property may be an array. */
  readonly isList: boolean;
  readonly maximumSize: number;
  /** The class of the array's elements, if they are objects. */
  readonly elementType: Type<object> | undefined;
  /** The functions of its `@Transform()`s, in their order. */
  readonly conversions: readonly ((value: unknown) => unknown)[];
}

type Shape = ReadonlyMap<string, Property>;

const shapes = new Map<Type<object>, Shape>();

/** The properties that a body class declares, according to its validation rules. */
function shapeOf(type: Type<object>): Shape {
  const known = shapes.get(type);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  const shape = new Map([...names].map((name) => [name, propertyOf(type, name)]));
  shapes.set(type, shape);
  return shape;

  function propertyOf({ prototype }: Type<object>, name: string): Property {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const isVerbatim = Reflect.getMetadata(VERBATIM, prototype as object, name) === true;
    const elementType = (
      Reflect.getMetadata(LIST, prototype as object, name) as (() => Type<object>) | undefined
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
      conversions: conversionsOf(type, name),
    };
  }
}

function conversionsOf(type: Type<object>, name: string): ((value: unknown) => unknown)[] {
  const transforms = defaultMetadataStorage.findTransformMetadatas(
    type,
    name,
    TransformationType.PLAIN_TO_CLASS,
  );
  return transforms.map(
    ({ transformFn }) =>
      (value) =>
        transformFn({ value }),
  );
}

/** Replaces an object or array that the class does not declare; empty, it breaks the same rules. */
const OUT_OF_PLACE = Object.freeze({});
const LIST_OUT_OF_PLACE = Object.freeze([]);

export interface Declared {
  readonly instance: object;
  /** Names of properties that the class does not declare, with the path to them. */
  readonly undeclared: readonly string[];
}

/**
 * Makes an instance of the part of a body that its class declares, and applies the `@Transform()`s of the class. Both are looked
 * up once; class-transformer does it for each property of each object, which took 35 us more for a heartbeat with ten
 * deployments. class-validator needs quadratic time: an object of 90,000 keys, wherever it was, stopped the process for eight
 * seconds. So the instance has no undeclared object and no array that is too long.
 *
 * @throws InvalidError when an array has more elements than it may have
 */
export function declaredInstance(body: Record<string, unknown>, type: Type<object>): Declared {
  const undeclared: string[] = [];
  return { instance: instanceOf(body, type, ''), undeclared };

  function instanceOf(source: Record<string, unknown>, of: Type<object>, path: string): object {
    const shape = shapeOf(of);
    const instance = new of() as Record<string, unknown>;
    // `Object.keys` leaves out inherited keys, and lists `__proto__` as an ordinary, undeclared key.
    for (const name of Object.keys(source)) {
      const property = shape.get(name);
      if (!property) undeclared.push(`${path}${name}`);
      else
        instance[name] = property.conversions.reduce(
          (value, convert) => convert(value),
          valueOf(source[name], property, `${path}${name}`),
        );
    }
    return instance;
  }

  function valueOf(value: unknown, property: Property, path: string): unknown {
    if (property.isVerbatim) return value;
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
    return elementType ? instanceOf(element as Record<string, unknown>, elementType, path) : OUT_OF_PLACE;
  }
}
