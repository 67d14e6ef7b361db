import { type ValidationError, validateSync } from 'class-validator';
import type { BrokenRule } from '../errors/domain-error.js';
import type { RuleCode } from '../errors/error-codes.js';
import { keepsRules } from './kept-rules.js';

/** Rules that say which type of value is asked for. Where one of them fails, the rules of size and content mean nothing. */
const TYPE_RULES = ['isString', 'isArray', 'isObject', 'isBoolean', 'isEmail', 'arrayMaxSize'];

/** Codes of class-validator's rules and of our own, by their names; any other is an `invalid_value`. */
const CODES: Readonly<Record<string, RuleCode>> = {
  isString: 'wrong_type',
  isArray: 'wrong_type',
  isObject: 'wrong_type',
  isBoolean: 'wrong_type',
  isEmail: 'wrong_format',
  isUuid: 'wrong_format',
  isSigningSecret: 'wrong_format',
  isJsonDocument: 'wrong_format',
  idPrefix: 'wrong_format',
  matches: 'wrong_format',
  numberBetween: 'out_of_range',
  isIn: 'unknown_value',
  maxLength: 'too_long',
  maxBytes: 'too_long',
  arrayMaxSize: 'too_long',
  arrayMinSize: 'too_short',
};

/** The rules of its class that an instance breaks. @param path prefix of fields and messages, such as `deployments.3.` */
export function brokenRulesOf(instance: object, path = ''): BrokenRule[] {
  return keepsRules(instance)
    ? []
    : brokenRules(validateSync(instance, { forbidUnknownValues: false }), path);
}

function brokenRules(errors: readonly ValidationError[], path: string): BrokenRule[] {
  return errors.flatMap((error) => [
    ...failuresOf(error).map(([rule, message]) => ({
      field: `${path}${error.property}`,
      code: error.value === undefined ? ('required' as const) : (CODES[rule] ?? 'invalid_value'),
      message: `${path}${message}`,
    })),
    // An object whose own rule is broken says that; the rules of its properties mean nothing then.
    ...(error.constraints ? [] : brokenRules(error.children ?? [], `${path}${error.property}.`)),
  ]);
}

/** Names and messages of a value's rules that failed. */
function failuresOf({ constraints = {} }: ValidationError): [rule: string, message: string][] {
  const failed = Object.entries(constraints);
  const wrongType = TYPE_RULES.flatMap((rule) => failed.filter(([name]) => name === rule)).slice(0, 1);
  return wrongType.length > 0 ? wrongType : failed;
}
