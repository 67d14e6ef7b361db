import type { RequestWay } from '../access/request-origin.js';
import { InvalidError } from '../errors/domain-error.js';
import { isRecord } from '../http/json-record.js';
import type { OwnApi } from './own-api.js';
import type { ApiOperation } from './api-operations.js';
import { type Arguments, cursorOf, requestOf } from './tool-arguments.js';
import { type Answer, itemsOf, itemsThatFit, withRowsThatFit } from './tool-answer.js';

/** The request to `/mcp` that calls of tools arrive with. */
export interface CallingRequest {
  readonly address: string | null;
  /** The caller's own: credential, request's id, name of the program, host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly way: RequestWay;
}

/** An error of the API, in words for an assistant. */
export class ApiRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** How often a list is asked for again until its page fits; new items may have come in between. */
const TRIES = 3;

/** Calls operations of the API on behalf of the caller of a tool, with the caller's credential. */
export class ApiCaller {
  /** Status of the last refusal; undefined: none was refused. */
  refusedWith: number | undefined;

  constructor(
    private readonly api: OwnApi,
    private readonly request: CallingRequest,
  ) {}

  /**
   * Calls an operation. A list that is too long for an answer is asked for again with fewer items, so that it ends with a whole
   * one and its cursor goes on after it.
   *
   * @throws ApiRefusal for what the API refuses
   */
  async answer(operation: ApiOperation, given: Arguments, agentText: readonly string[]): Promise<Answer> {
    if (!operation.isList)
      return { data: withRowsThatFit((await this.call(operation, given)).body, agentText) };
    let limited = given;
    for (let tries = 1; ; tries++) {
      const { body, headers } = await this.call(operation, limited);
      const fitting = itemsThatFit(body, agentText);
      if (fitting >= itemsOf(body).length || tries === TRIES)
        return { data: body, nextCursor: cursorOf(headers.link as string | undefined) };
      // One item is never left out, whatever came in between.
      limited = { ...given, limit: tries === TRIES - 1 ? 1 : fitting };
    }
  }

  async call(operation: ApiOperation, given: Arguments) {
    const { signal, address, way } = this.request;
    const asked = toolRequest(operation, given);
    const headers = { ...this.request.headers, ...asked.headers };
    const reply = await this.api.request({ ...asked, headers, signal, address, way });
    if (reply.status < 400) return reply;
    this.refusedWith = reply.status;
    throw new ApiRefusal(reply.status, refusalOf(reply.status, reply.body, reply.headers['retry-after']));
  }
}

/** @throws ApiRefusal for arguments that make no request */
function toolRequest(operation: ApiOperation, given: Arguments) {
  try {
    return requestOf(operation, given);
  } catch (error) {
    if (error instanceof InvalidError) throw new ApiRefusal(422, error.message);
    throw error;
  }
}

function refusalOf(status: number, body: unknown, retryAfter: string | undefined): string {
  const { detail, code } = isRecord(body) ? body : {};
  const again = retryAfter === undefined ? '' : ` Try again in ${retryAfter} seconds.`;
  return `${status} ${String(code)}: ${String(detail)}.${again}`;
}
