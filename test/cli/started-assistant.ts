import type { SvcOptions, Svc } from './svc.js';

export interface Answer {
  readonly id: unknown;
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** An assistant that has started `svc mcp` as a process, and speaks to it line by line. */
export class StartedAssistant {
  private lastId = 0;
  readonly svc;

  constructor(svc: Svc, args: readonly string[] = [], env: SvcOptions['env'] = {}) {
    this.svc = svc.startProcess(['mcp', ...args], { env, keepsInput: true });
  }

  /** All that it has printed, each line of which must be a message. */
  get answers(): Answer[] {
    return this.svc.lines.map((line) => JSON.parse(line) as Answer);
  }

  write(line: string): void {
    this.svc.process.stdin!.write(`${line}\n`);
  }

  /** @returns the id of the request */
  ask(method: string, params: object = {}): number {
    this.lastId += 1;
    this.write(JSON.stringify({ jsonrpc: '2.0', id: this.lastId, method, params }));
    return this.lastId;
  }

  async answerTo(id: unknown): Promise<Answer> {
    await this.svc.comesTo(() => this.answers.some((answer) => answer.id === id));
    return this.answers.find((answer) => answer.id === id)!;
  }

  async request(method: string, params: object = {}): Promise<any> {
    const { result, error } = await this.answerTo(this.ask(method, params));
    if (error) throw new Error(`${method} failed with ${error.code}: ${error.message}`);
    return result;
  }

  async refusal(method: string, params: object = {}): Promise<{ code: number; message: string }> {
    const { error } = await this.answerTo(this.ask(method, params));
    if (!error) throw new Error(`${method} was not refused`);
    return error;
  }

  /** Calls a tool. @returns the data of its answer */
  async call(name: string, given: object = {}): Promise<any> {
    const { isError, content, structuredContent } = await this.request('tools/call', {
      name,
      arguments: given,
    });
    if (isError) throw new Error(`${name} failed: ${content[0].text}`);
    return structuredContent.data;
  }

  async toolNames(): Promise<string[]> {
    const { tools } = await this.request('tools/list');
    return tools.map(({ name }: { name: string }) => name);
  }

  /** Begins as clients of the revision 2025-11-25 do. */
  async initialize(): Promise<any> {
    const result = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'started-assistant', version: '1.2.3' },
    });
    this.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return result;
  }

  /** Ends its input, and waits for its end. */
  leave() {
    this.svc.process.stdin!.end();
    return this.svc.ended();
  }
}
