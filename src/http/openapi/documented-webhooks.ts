/**
 * Token of the `webhooks` section of the OpenAPI document: the feature that sends the messages provides it, because the
 * document's builder knows no feature.
 */
export const DOCUMENTED_WEBHOOKS = Symbol('documented-webhooks');
