import { Readable } from 'node:stream';
import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  StreamableFile,
  type Type,
} from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { requestOf } from '../access/http-context.js';
import { PAGE_HEADERS, SendsPage } from '../http/page-reply.js';

const JSON_LINES = 'application/x-ndjson';

export const WantsJsonLines = createParamDecorator(
  (_: unknown, context: ExecutionContext): boolean =>
    requestOf(context).accepts('json', JSON_LINES) === JSON_LINES,
);

/** The route answers a list as a page or, where the caller asks for it, as lines. */
export function PageOrLinesOf(item: Type): MethodDecorator {
  const schema = { $ref: getSchemaPath(item) };
  const content = {
    'application/json': { schema: { type: 'array', items: schema } },
    [JSON_LINES]: { schema },
  };
  return applyDecorators(
    SendsPage(),
    ApiExtraModels(item),
    ApiOkResponse({ content, headers: PAGE_HEADERS }),
  );
}

/**
 * Sends one JSON object in each line. It reads no faster than the caller does, and stops when the caller disconnects.
 */
export function jsonLines<Item>(items: AsyncIterable<Item>, shown: (item: Item) => object): StreamableFile {
  const lines = Readable.from(linesOf(items, shown));
  return new StreamableFile(lines, { type: JSON_LINES });
}

async function* linesOf<Item>(items: AsyncIterable<Item>, shown: (item: Item) => object) {
  for await (const item of items) yield `${JSON.stringify(shown(item))}\n`;
}
