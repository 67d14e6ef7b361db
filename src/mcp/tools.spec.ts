import { readFileSync } from 'node:fs';
import { OPERATION_TOOLS } from './tools.js';

interface Documented {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly $ref?: string }[];
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
const operations: Documented[] = Object.values(document.paths).flatMap((path) =>
  Object.values(path as object),
);
const lists = operations.filter(({ parameters = [] }) =>
  parameters.some(({ $ref }) => $ref?.endsWith('/Before')),
);

/** The words of a text that say in which order a list is. */
const ordersIn = (text: string) => text.toLowerCase().match(/(newest|pending ones) first/g) ?? [];

describe('The description of a tool', () => {
  it('names the order of a list as the operation does', () => {
    const tools = OPERATION_TOOLS.filter((tool) => lists.some((list) => list.operationId === tool.operation));
    expect(tools.length).toBeGreaterThan(4);
    for (const { name, description, operation } of tools) {
      const documented = lists.find(({ operationId }) => operationId === operation)!;
      const orders = ordersIn(`${documented.summary} ${documented.description}`);
      expect([name, ordersIn(description)]).toEqual([name, orders]);
    }
  });
});
