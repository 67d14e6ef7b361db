import { getSchemaPath } from '@nestjs/swagger';

/** An enum of replies that may grow: the present values, which are a model, and any other text for those of later versions. */
export const openEnumOf = (model: string) => ({
  anyOf: [{ $ref: getSchemaPath(model) }, { type: 'string' }],
});

/** Any JSON value, for content that only its sender knows. Without it the document would say "an object". */
export const ANY_JSON = {
  oneOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
  ],
};
