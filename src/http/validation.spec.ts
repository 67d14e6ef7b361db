import { jest } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { IsString, Validator } from 'class-validator';
import { ValidBody } from './validation.js';

class Body {
  @IsString()
  name: string;
}

class Controller {
  take(@ValidBody() body: Body): Body {
    return body;
  }
}

/** The argument that the handler gets for a body. */
function argumentFor(body: unknown): unknown {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, Controller, 'take') as object;
  const [{ factory }] = Object.values(parameters) as [
    { factory: (data: unknown, context: ExecutionContext) => unknown },
  ];
  const context = { getArgByIndex: () => ({ body }) };
  return factory(undefined, context as unknown as ExecutionContext);
}

describe('class-validator', () => {
  it('is asked for the messages about an invalid body, and never about a valid one', () => {
    const validate = jest.spyOn(Validator.prototype, 'validateSync');
    expect(argumentFor({ name: 'a' })).toEqual({ name: 'a' });
    expect(validate).not.toHaveBeenCalled();
    expect(() => argumentFor({ name: 1 })).toThrow();
    expect(validate).toHaveBeenCalledTimes(1);
    validate.mockRestore();
  });
});
