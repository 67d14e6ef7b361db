import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  MaxLength,
  ValidateBy,
  ValidateIf,
  type ValidationOptions,
} from 'class-validator';
import { isWhatIsSeen, UNSEEN_CHARACTERS } from './seen-text.js';

/** Maximum length of an email address by RFC 5321. */
export const MAXIMUM_EMAIL = 254;

/** A field of a body or a query, without its bounds. */
export interface Field {
  readonly description?: string;
  readonly example?: unknown;
  /** The default of an absent field. It is only documented: the class or the service applies it. */
  readonly default?: unknown;
  /** True: the field may be absent, and null counts as absent. `not null`: it may be absent, and null is refused. */
  readonly optional?: true | 'not null';
  /** True: the document says that null is accepted. */
  readonly nullable?: true;
}

interface TextBounds {
  /** Minimum length in characters; absent: 0. */
  readonly min?: number;
  readonly max: number;
  /** The format and the pattern are only documented. */
  readonly format?: string;
  readonly pattern?: string;
}

/** Accepts text. Its bounds are documented and checked, as for all fields here. */
export function TextField({ min = 0, max, ...field }: Field & TextBounds): PropertyDecorator {
  const [length, rule] =
    min === 0 ? [{ maxLength: max }, MaxLength(max)] : [{ minLength: min, maxLength: max }, Length(min, max)];
  return documented(field, { type: String, ...length }, rule, IsString());
}

/** Accepts a name: text without characters that nobody sees. */
export const NameField = (field: Field & TextBounds) =>
  applyDecorators(
    Rule(
      'isWhatIsSeen',
      (value) => typeof value !== 'string' || isWhatIsSeen(value),
      (name) => `${name} must not have ${UNSEEN_CHARACTERS}`,
    ),
    TextField(field),
  );

/**
 * The canonical form of an address, in which it is stored, compared and counted: NFKC, lower case by Unicode's rules.
 * No other code makes it: PostgreSQL's lower case differs in some letters, and each difference would be a second
 * account, or a second count of a limit.
 *
 * A text that is too long for an address is returned unchanged: NFKC takes quadratic time for a run of combining marks,
 * four seconds for 40,000 of them.
 */
export function canonicalEmail(text: string): string {
  const address = text.trim();
  if (address.length > MAXIMUM_EMAIL) return address;
  // The lower case may have to be composed again.
  return address.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Converts an address to its canonical form before it is validated. */
export const CanonicalEmail = () => ChangedText(canonicalEmail);

/** Accepts an email address. A decorator above it decides about its form: `CanonicalEmail` or `Trimmed`. */
export const EmailField = (field: Field = {}) =>
  documented(
    { example: 'ada@example.com', ...field },
    { type: String, format: 'email', maxLength: MAXIMUM_EMAIL },
    MaxLength(MAXIMUM_EMAIL),
    IsEmail(),
  );

/** Accepts a UUID of any version, and converts it to lower case, because ids are also compared as text. */
export const IdField = (field: Field = {}) =>
  documented(
    field,
    { type: String, format: 'uuid' },
    IsUUID('loose'),
    ChangedText((text) => text.toLowerCase()),
  );

/** Accepts one of these words. */
export const ChoiceField = (values: readonly string[], field: Field & { readonly enumName: string }) =>
  documented(field, { enum: [...values] }, IsIn(values));

/** Accepts a boolean in a body. */
export const FlagField = (field: Field = {}) => documented(field, { type: Boolean }, IsBoolean());

/** Accepts `true` or `false` in a query. */
export const FlagParameter = (field: Field) => documented(field, { type: Boolean }, IsBoolean(), FromWords());

/** Bounds in a body. `max` may be absent if only the service knows the limit. */
interface BodyBounds {
  readonly min: number;
  readonly max?: number;
}

export type Bounds = Required<BodyBounds>;

/** Accepts a finite number in a body; a text is refused. */
export const NumberField = ({ min, max, ...field }: Field & BodyBounds) =>
  documented(field, rangeOf('number', min, max), NumberRule({ min, max }));

/** Accepts a number in a query. */
export const NumberParameter = (field: Field & Bounds) => applyDecorators(NumberField(field), FromText());

/** Accepts a whole number in a body. */
export const WholeNumberField = ({ min, max, ...field }: Field & BodyBounds) =>
  documented(field, rangeOf('integer', min, max), WholeNumberRule({ min, max }));

/** Accepts a whole number in a query. */
export const WholeNumberParameter = (field: Field & Bounds) =>
  applyDecorators(WholeNumberField(field), FromText());

const MAXIMUM_OF_32_BITS = 2_147_483_647;

/** Generators of clients take an integer without a format for one of 32 bits. */
function rangeOf(type: 'number' | 'integer', minimum: number, maximum?: number): ApiPropertyOptions {
  const isWide = type === 'integer' && maximum !== undefined && maximum > MAXIMUM_OF_32_BITS;
  return { type, ...(isWide && { format: 'int64' }), minimum, ...(maximum !== undefined && { maximum }) };
}

/** Validates a finite number from `min` to `max`, with a single message. */
export const NumberRule = (bounds: BodyBounds) => ruleOf('a number', bounds, Number.isFinite, false);

/** Validates a whole number from `min` to `max`, or with `each` a list of them, with a single message. */
export const WholeNumberRule = (bounds: BodyBounds, each = false) =>
  ruleOf('a whole number', bounds, Number.isSafeInteger, each);

function ruleOf(
  what: string,
  { min, max = Infinity }: BodyBounds,
  isOfKind: (value: number) => boolean,
  each: boolean,
): PropertyDecorator {
  const upTo = max === Infinity ? 'on' : `to ${max}`;
  return Rule(
    'numberBetween',
    (value) => typeof value === 'number' && value >= min && value <= max && isOfKind(value),
    (name) => `${name} must be ${what} from ${min} ${upTo}`,
    { each },
  );
}

/**
 * Decimal notation only: `Number` also accepts `0x10`, `1e1` and blanks. Other texts stay unchanged, and are then
 * refused.
 */
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Converts the texts of a query: one, or a list of them. */
export const FromText = () =>
  Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) ? value.map(numberOf) : numberOf(value),
  );

function numberOf(value: unknown): unknown {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
}

/** A rule of our own. @param message begins with the name of the property, as those of class-validator do */
export const Rule = (
  name: string,
  validate: (value: unknown) => boolean,
  message: (property: string, value: unknown) => string,
  options?: ValidationOptions,
) =>
  ValidateBy(
    { name, validator: { validate, defaultMessage: (rule) => message(rule!.property, rule!.value) } },
    options,
  );

/** Applies decorators in the order in which they would run if written above each other: the last one first. */
export function documented(
  { optional, ...field }: Field,
  schema: ApiPropertyOptions,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const options = { ...schema, ...field, required: !optional } as ApiPropertyOptions;
  const condition = optional === 'not null' ? ValidateIf((_, value) => value !== undefined) : IsOptional();
  return applyDecorators(...rules, ...(optional ? [condition] : []), ApiProperty(options), Taken());
}

/**
 * Declares a property of a body or a query; undeclared ones are left out. An object in its place becomes an empty one,
 * which violates the same rules: class-transformer needs quadratic time for the keys of an object of an unknown class.
 */
export const Taken = () =>
  applyDecorators(
    Expose(),
    Type(() => Object),
  );

/** Removes white space around a string before it is validated. */
export const Trimmed = () => ChangedText((text) => text.trim());

/** Converts a text before it is validated. Values of other types are left to the rules. */
export const ChangedText = (change: (text: string) => unknown) =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? change(value) : value));

/** Converts `true` and `false` in a query to booleans. */
const FromWords = () =>
  Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value));
