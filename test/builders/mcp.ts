import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

/** The newest revision that the SDK speaks, and the one before, as its client chooses them. */
export const REVISIONS = { '2026-07-28': { pin: '2026-07-28' }, '2025-11-25': 'legacy' } as const;
export type Revision = keyof typeof REVISIONS;

/** An assistant, by the SDK's own client. */
export class Assistant {
  private constructor(private readonly client: Client) {}

  static async connect(
    { url }: Pick<TestApp, 'url'>,
    credential: string,
    options: { readonly revision?: Revision; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Assistant> {
    const { revision = '2026-07-28', headers = {} } = options;
    const client = new Client(
      { name: 'test-assistant', version: '7.1.0' },
      { versionNegotiation: { mode: REVISIONS[revision] } },
    );
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization: `Bearer ${credential}`, ...headers } },
    });
    await client.connect(transport);
    return new Assistant(client);
  }

  get revision(): string | undefined {
    return this.client.getNegotiatedProtocolVersion();
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  async toolNames(): Promise<string[]> {
    return (await this.tools()).map(({ name }) => name).sort();
  }

  /** Calls a tool, of whatever outcome. The client compares its answer with the schema of the tool. */
  async ask(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<ToolAnswer> {
    const { content, structuredContent, isError } = await this.client.callTool({ name, arguments: given });
    const [part] = content as { readonly type: string; readonly text: string }[];
    return { text: part!.text, answer: structuredContent as ToolAnswer['answer'], isError: isError === true };
  }

  /** Calls a tool that succeeds. @returns its data */
  async call(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<any> {
    const { answer, text, isError } = await this.ask(name, given);
    if (isError) throw new Error(`${name} was refused: ${text}`);
    return answer.data;
  }

  /** Calls a tool until its data are as they are waited for. */
  async callUntil(name: string, given: object, isThere: (data: any) => boolean): Promise<any> {
    let data: any;
    await until(async () => isThere((data = await this.call(name, { ...given }))));
    return data;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

export interface ToolAnswer {
  readonly text: string;
  readonly answer: { readonly notice: string; readonly data: any; readonly next_cursor?: string | null };
  readonly isError: boolean;
}
