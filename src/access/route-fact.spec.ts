import type { ExecutionContext } from '@nestjs/common';
import { routeFact } from './route-fact.js';

const requestOf = (handler: () => void) => ({ getHandler: () => handler }) as unknown as ExecutionContext;

describe('The metadata of a route', () => {
  it.each([['GET'], [undefined]])(
    'is read once for each handler, however many requests arrive: %s',
    (fact) => {
      const read: unknown[] = [];
      const factOf = routeFact((context) => {
        read.push(context.getHandler());
        return fact;
      });
      const [one, other] = [() => undefined, () => undefined];
      const facts = [one, one, other, one, other].map((handler) => factOf(requestOf(handler)));
      expect(facts).toEqual(Array(5).fill(fact));
      expect(read).toEqual([one, other]);
    },
  );
});
