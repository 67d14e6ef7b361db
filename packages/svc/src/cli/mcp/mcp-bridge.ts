import { ServiceError, UnreachableError } from '@agent-control-plane/client';
import { parseKept, writeKept } from '@agent-control-plane/client/internal/kept-numbers';
import type { Context } from '../context.js';
import { failureOf } from '../failure-report.js';
import { headersOf } from './message-headers.js';
import { isRequest, type Message, messageIn } from './message.js';
import { ProjectArgument } from './project-argument.js';
import { messagesOf } from './service-reply.js';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
/** The first of the codes that the protocol leaves to servers. */
const SERVER_ERROR = -32_000;

/** Longer than the service lets a tool wait. */
const PATIENCE_MS = 120_000;

/** Sends each message of an assistant to `POST /mcp`, and prints each answer. The service keeps no session, so each is a request. */
export class McpBridge {
  private readonly atWork = new Set<Promise<void>>();
  /** The requests without an answer yet, by id. */
  private readonly cancellations = new Map<unknown, AbortController>();
  private readonly project: ProjectArgument;
  private fetchAuthorized: ((request: Request) => Promise<Response>) | undefined;
  /** The result of `initialize`, which both sides have agreed on. */
  private agreed: Readonly<Record<string, string>> = {};

  constructor(
    private readonly context: Context,
    /** The headers that narrow the tools. */
    private readonly narrowing: Readonly<Record<string, string>>,
  ) {
    this.project = new ProjectArgument(context, (line, message) => this.post(line, message));
  }

  /** Takes a line of standard input. Its answer is printed once it is there, so answers may come in another order. */
  take(line: string): void {
    const work = this.answer(line).finally(() => this.atWork.delete(work));
    this.atWork.add(work);
  }

  /** Waits for all answers. */
  async answered(): Promise<void> {
    await Promise.all(this.atWork);
  }

  private async answer(line: string): Promise<void> {
    if (line.trim() === '') return;
    const message = messageIn(line);
    if (message === undefined) return this.refuse(null, PARSE_ERROR, 'The line is not JSON');
    if (message === 'none')
      return this.refuse(null, INVALID_REQUEST, 'A line must be one message of JSON-RPC 2.0');
    // The service asks an assistant for nothing, so there is nothing to answer.
    if (message.method === undefined) return;
    if (message.method === 'notifications/cancelled') return this.cancel(message);
    const gone = new AbortController();
    if (isRequest(message)) this.cancellations.set(message.id, gone);
    try {
      await this.pass(line, message, gone.signal);
    } catch (error) {
      if (gone.signal.aborted || this.context.signal.aborted) return;
      const words = failureOf(error).line;
      if (isRequest(message)) this.refuse(message.id, SERVER_ERROR, words);
      else this.context.terminal.note(words);
    } finally {
      this.cancellations.delete(message.id);
    }
  }

  /** An abandoned request closes its connection, so that the service notices. */
  private cancel({ params }: Message): void {
    this.cancellations.get(params?.requestId)?.abort();
  }

  private async pass(line: string, message: Message, signal: AbortSignal): Promise<void> {
    const response = await this.post(await this.project.filledIn(line, message), message, signal);
    if (!isRequest(message)) {
      if (!response.ok) throw await ServiceError.from(response);
      await response.body?.cancel();
      return;
    }
    let isAnswered = false;
    for await (const reply of messagesOf(response, this.context.address.url)) {
      if (message.method === 'initialize') this.agreeOn(reply, response);
      isAnswered ||= 'result' in reply.message || 'error' in reply.message;
      // A refusal that the service gives before it has read the id.
      const text = reply.message.id === null ? withId(reply.text, message.id) : reply.text;
      this.context.terminal.print(text);
    }
    if (!isAnswered) throw new UnreachableError(this.context.address.url, new Error('the answer broke off'));
  }

  private post(line: string, message: Message, signal?: AbortSignal): Promise<Response> {
    this.fetchAuthorized ??= this.context.authorizedFetch(PATIENCE_MS);
    const { url } = this.context.address;
    const headers = { ...this.narrowing, ...this.agreed, ...headersOf(message) };
    return this.fetchAuthorized(
      new Request(`${url}/mcp`, { method: 'POST', headers, body: line, signal: signal ?? null }),
    );
  }

  /** The older revision says once which revision is spoken, and who calls. */
  private agreeOn({ message }: { readonly message: Message }, { headers }: Response): void {
    const version = message.result?.protocolVersion;
    const session = headers.get('mcp-session-id');
    this.agreed = {
      ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
      ...(session !== null && { 'mcp-session-id': session }),
    };
  }

  private refuse(id: unknown, code: number, message: string): void {
    this.context.terminal.print(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }
}

function withId(text: string, id: unknown): string {
  return writeKept({ ...(parseKept(text) as object), id });
}
