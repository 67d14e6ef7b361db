import type { OpenAPIObject } from '@nestjs/swagger';

/** An operation of the document. */
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Components of the document, which operations refer to. */
export type Components = NonNullable<OpenAPIObject['components']> & {
  /** Part of OpenAPI 3.1 that Nest's type leaves out. */
  pathItems?: OpenAPIObject['paths'];
};
