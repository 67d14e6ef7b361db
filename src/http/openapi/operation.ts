import type { OpenAPIObject } from '@nestjs/swagger';

/** An operation of the document. */
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Components of the document, which operations refer to. */
export type Components = NonNullable<OpenAPIObject['components']> & {
  /** Part of OpenAPI 3.1 that Nest's type leaves out. */
  pathItems?: OpenAPIObject['paths'];
};

/**
 * Token of the `webhooks` section of the OpenAPI document. The feature that sends the messages provides it, because the
 * document's builder imports no feature.
 */
export const DOCUMENTED_WEBHOOKS = Symbol('documented-webhooks');

/** Value provided under {@link DOCUMENTED_WEBHOOKS}: the section, and the components to which it refers. */
export interface DocumentedWebhooks {
  readonly webhooks: NonNullable<OpenAPIObject['webhooks']>;
  readonly components: Pick<Components, 'parameters' | 'pathItems' | 'responses'>;
}
