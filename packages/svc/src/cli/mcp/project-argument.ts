import { parseKept, writeKept } from '@agent-control-plane/client/internal/kept-numbers';
import type { Context } from '../context.js';
import { isRecord, type Message } from './message.js';
import { messagesOf } from './service-reply.js';

const ARGUMENT = 'project_id';
const LIST = { jsonrpc: '2.0', id: 'tools-of-a-project', method: 'tools/list' };

/** Fills in the project in use where a tool takes one and the assistant gives none. */
export class ProjectArgument {
  /** The names of the tools that take a project. */
  private tools: Promise<ReadonlySet<string>> | undefined;

  constructor(
    private readonly context: Context,
    private readonly post: (line: string, message: Message) => Promise<Response>,
  ) {}

  /** @returns the line to send @throws CommandFailedError if there is no such project, or the failure of a request */
  async filledIn(line: string, { method, params }: Message): Promise<string> {
    if (method !== 'tools/call') return line;
    const projectId = await this.context.projectId();
    if (projectId === undefined || !(await this.takesProject(params?.name))) return line;
    const given = params?.arguments ?? {};
    if (!isRecord(given) || given[ARGUMENT] !== undefined) return line;
    const message = parseKept(line) as { readonly params: { readonly arguments?: object } };
    const filled = { ...message.params.arguments, [ARGUMENT]: projectId };
    return writeKept({ ...message, params: { ...message.params, arguments: filled } });
  }

  private async takesProject(name: unknown): Promise<boolean> {
    // A failed look-up is not kept: the next call asks again.
    this.tools ??= this.toolsWithProject().catch((error: unknown) => {
      this.tools = undefined;
      throw error;
    });
    return (await this.tools).has(name as string);
  }

  private async toolsWithProject(): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    const response = await this.post(JSON.stringify(LIST), LIST);
    for await (const { message } of messagesOf(response, this.context.address.url)) {
      for (const tool of (message.result?.tools ?? []) as readonly ListedTool[])
        if (tool.inputSchema.properties && ARGUMENT in tool.inputSchema.properties) names.add(tool.name);
    }
    return names;
  }
}

interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: object };
}
