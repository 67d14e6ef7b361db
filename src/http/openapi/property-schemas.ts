import { getSchemaPath } from '@nestjs/swagger';

/** For a property of replies whose values may grow: those of today, and room for those of a later version. */
export const openEnum = (values: readonly string[]) => ({
  anyOf: [{ type: 'string', enum: [...values] }, { type: 'string' }],
});

/** The same where a model names the values of today. */
export const openEnumOf = (model: string) => ({
  anyOf: [{ $ref: getSchemaPath(model) }, { type: 'string' }],
});

/** For what its sender alone knows: any JSON value. Without it the document would say "an object". */
export const ANY_JSON = {
  oneOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
  ],
};
