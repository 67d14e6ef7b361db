import type { OpenAPIObject } from '@nestjs/swagger';
import { SECURITY_SCHEMES } from '../access/route-access.js';
import type { Components, Operation } from '../http/openapi/operation.js';

/** Says of the body of a strict request that an unknown property is refused. Routes of runtimes ignore it. */
export function closeRequests(
  { requestBody, security = [] }: Operation,
  schemas: NonNullable<Components['schemas']>,
): void {
  const content = (requestBody as { content?: Record<string, { schema?: { $ref?: string } }> } | undefined)
    ?.content;
  const reference = content?.['application/json']?.schema?.$ref;
  if (!reference || security.some((scheme) => SECURITY_SCHEMES.agentApiKey in scheme)) return;
  Object.assign(schemas[reference.replace(/^.*\//, '')]!, { additionalProperties: false });
}

/** Writes an enumeration that takes null as a choice between the words and null: generators take null for a word. */
export function withoutNullInEnums(document: OpenAPIObject): void {
  rewrite(document.paths);
  rewrite(document.components?.schemas);
}

function rewrite(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as { type?: unknown; enum?: unknown; anyOf?: unknown };
  if (Array.isArray(schema.enum) && schema.enum.includes(null)) {
    schema.anyOf = [{ type: 'string', enum: schema.enum.filter((word) => word !== null) }, { type: 'null' }];
    delete schema.enum;
    delete schema.type;
  }
  Object.values(value).forEach(rewrite);
}
