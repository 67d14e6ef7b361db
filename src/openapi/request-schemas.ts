import type { OpenAPIObject } from '@nestjs/swagger';
import { SECURITY_SCHEMES } from '../access/route-access.js';
import type { Components, Operation } from '../http/openapi/operation.js';

type Schemas = NonNullable<Components['schemas']>;

interface Part {
  readonly $ref?: string;
  readonly allOf?: readonly Part[];
  readonly items?: Part;
}

/**
 * Says of the body of a strict request, and of the objects in it, that an unknown property is refused. Routes of runtimes
 * ignore it.
 */
export function closeRequests({ requestBody, security = [] }: Operation, schemas: Schemas): void {
  const content = (requestBody as { content?: Record<string, { schema?: Part }> } | undefined)?.content;
  if (security.some((scheme) => SECURITY_SCHEMES.agentApiKey in scheme)) return;
  close(content?.['application/json']?.schema, schemas);
}

function close(part: Part | undefined, schemas: Schemas): void {
  part?.allOf?.forEach((inner) => close(inner, schemas));
  if (part?.items) close(part.items, schemas);
  if (!part?.$ref) return;
  const model = schemas[part.$ref.replace(/^.*\//, '')] as { properties?: Record<string, Part> };
  if (!model.properties) return;
  Object.assign(model, { additionalProperties: false });
  Object.values(model.properties).forEach((inner) => close(inner, schemas));
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
