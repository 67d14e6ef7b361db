import type * as AjvModule from '@modelcontextprotocol/server/validators/ajv';
import type { Schema } from './api-operations.js';

export type Validators = typeof AjvModule;

const LONGEST_MESSAGE = 1_000;

/**
 * Holds the arguments of a call against the schema of its tool. It stops at the first fault: of a list of 100,000 numbers each would be
 * one, and the message have megabytes.
 */
export function argumentCheck({ Ajv, addFormats, AjvJsonSchemaValidator }: Validators) {
  const ajv = new Ajv({ strict: false, validateFormats: true, validateSchema: false });
  // The types of `ajv-formats` are those of a package that is not installed.
  (addFormats as (engine: object) => unknown)(ajv);
  const validator = new AjvJsonSchemaValidator(ajv);
  return {
    getValidator(schema: Schema) {
      const check = validator.getValidator<never>(schema);
      return (given: unknown) => {
        const result = check(given);
        // The message may quote a name of the arguments, which is as long as a body.
        return result.valid
          ? result
          : { ...result, errorMessage: result.errorMessage.slice(0, LONGEST_MESSAGE) };
      };
    },
  };
}
