import { Injectable } from '@nestjs/common';
import type * as Sdk from '@modelcontextprotocol/server';
import type { RouteScope } from '../access/scopes.js';
import { committedDocument } from '../http/openapi/documentation.js';
import type { ApiCaller } from './api-caller.js';
import { ApiOperations, type Schema } from './api-operations.js';
import { argumentCheck, type Validators } from './argument-check.js';
import { type Arguments, argumentsOf } from './tool-arguments.js';
import { type Answer, answerSchema } from './tool-answer.js';
import { OPERATION_TOOLS, type ToolFacts, WHY } from './tools.js';
import { WhyTool } from './why-tool.js';

/** A schema as the SDK takes it. */
export type ToolSchema = ReturnType<typeof Sdk.fromJsonSchema<Arguments>>;

export interface Tool extends ToolFacts {
  readonly scope: RouteScope;
  readonly input: ToolSchema;
  readonly output: ToolSchema;
  /** @throws ApiRefusal */
  call(caller: ApiCaller, given: Arguments): Promise<Answer>;
}

/** The API has made the answer, and the tests hold it against the same schema: it is not checked again for each call. */
const UNCHECKED = {
  getValidator: () => (data: unknown) => ({
    valid: true as const,
    data: data as never,
    errorMessage: undefined,
  }),
};

/** All tools, with schemas from the API's document: made at the first call, and kept. */
@Injectable()
export class ToolTableService {
  private made: readonly Tool[] | undefined;

  /** @param sdk loaded by the caller, at the first call, as its validators are */
  tools(sdk: typeof Sdk, validators: Validators): readonly Tool[] {
    return (this.made ??= toolsOf(sdk, validators, new ApiOperations(committedDocument())));
  }
}

function toolsOf(
  { fromJsonSchema }: typeof Sdk,
  validators: Validators,
  api: ApiOperations,
): readonly Tool[] {
  const check = argumentCheck(validators);
  const inputOf = (schema: Schema): ToolSchema => fromJsonSchema<Arguments>(api.complete(schema), check);
  const outputOf = (schema: Schema): ToolSchema => fromJsonSchema<Arguments>(api.complete(schema), UNCHECKED);
  const tools = OPERATION_TOOLS.map((facts): Tool => {
    const operation = api.of(facts.operation);
    return {
      ...facts,
      scope: operation.scope,
      input: inputOf(argumentsOf(operation)),
      output: outputOf(answerSchema(operation.answer, operation.isList)),
      call: (caller, given) => caller.answer(operation, given, facts.agentText),
    };
  });
  const why = new WhyTool(api);
  const composed: Tool = {
    ...WHY,
    input: inputOf(why.arguments),
    output: outputOf(answerSchema(why.answer, false)),
    call: async (caller, given) => ({ data: await why.call(caller, given) }),
  };
  return [...tools, composed];
}
