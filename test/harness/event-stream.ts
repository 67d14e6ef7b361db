import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expectDocumentedEvent, expectIncomingDocumented } from './api-contract.js';
import { until } from './until.js';

export interface ServerSentEvent {
  readonly id: string;
  /** `message` if the stream names none. */
  readonly event: string;
  readonly data: any;
}

export interface OpenStreamOptions {
  readonly credential?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** A client of server-sent events that records them, like a browser's `EventSource`. */
export class EventStream {
  readonly events: ServerSentEvent[] = [];
  readonly comments: string[] = [];
  /** The ids of events named `heartbeat`. */
  readonly heartbeats: string[] = [];
  /** Position to resume from; a block without data may change it too. */
  lastEventId = '';
  retryMs: number | undefined;
  /** True after the end of the connection. */
  isClosed = false;
  /** Body of the reply if it is no stream. */
  body: any;
  private pending = '';

  private constructor(
    private readonly sent: ClientRequest,
    private readonly reply: IncomingMessage,
    private readonly path: string,
  ) {
    reply.setEncoding('utf8');
    reply.on('error', () => undefined);
    reply.on('close', () => (this.isClosed = true));
    if (this.isStream) reply.on('data', (chunk: string) => this.take(chunk));
  }

  /** Resolves with the headers; if they are not a stream's, with the whole body. */
  static open(url: string, path: string, options: OpenStreamOptions = {}): Promise<EventStream> {
    const { credential, headers = {}, method = 'GET' } = options;
    const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, {
        method,
        headers: { ...authorization, ...headers },
        agent: false,
      });
      sent.on('error', reject);
      sent.on('response', (reply) => {
        sent.off('error', reject).on('error', () => undefined);
        const stream = new EventStream(sent, reply, path);
        (stream.isStream ? Promise.resolve('') : stream.readBody())
          .then((text) => expectIncomingDocumented({ method, path }, reply, text))
          .then(() => resolve(stream), reject);
      });
      sent.end();
    });
  }

  get status(): number {
    return this.reply.statusCode ?? 0;
  }

  get headers(): IncomingMessage['headers'] {
    return this.reply.headers;
  }

  /** The data of all events except `end`. */
  get data(): any[] {
    return this.events.filter(({ event }) => event === 'message').map(({ data }) => data);
  }

  /** The reason with which the service has ended the stream. */
  get endReason(): string | undefined {
    return this.events.find(({ event }) => event === 'end')?.data.reason;
  }

  /** Waits until this many events have arrived. */
  async has(count: number): Promise<any[]> {
    await until(() => this.data.length >= count);
    return this.data;
  }

  /** Waits until the service ends the stream. */
  async ended(): Promise<string | undefined> {
    await until(() => this.isClosed);
    return this.endReason;
  }

  /** Stops reading from the connection. */
  pause(): void {
    this.reply.pause();
  }

  resume(): void {
    this.reply.resume();
  }

  /** Closes the connection. */
  close(): void {
    this.sent.destroy();
  }

  private get isStream(): boolean {
    return this.headers['content-type']?.startsWith('text/event-stream') ?? false;
  }

  private async readBody(): Promise<string> {
    let text = '';
    for await (const chunk of this.reply) text += chunk as string;
    this.body = text === '' ? undefined : JSON.parse(text);
    return text;
  }

  private take(chunk: string): void {
    const blocks = (this.pending + chunk).split('\n\n');
    this.pending = blocks.pop()!;
    for (const block of blocks) this.takeBlock(block);
  }

  private takeBlock(block: string): void {
    let [event, data] = ['message', ''];
    for (const line of block.split('\n')) {
      const [, name, value = ''] = /^([^:]*):? ?(.*)$/.exec(line)!;
      if (name === '') this.comments.push(value);
      if (name === 'id') this.lastEventId = value;
      if (name === 'retry') this.retryMs = Number(value);
      if (name === 'event') event = value;
      if (name === 'data') data += value;
    }
    if (event === 'heartbeat') this.heartbeats.push(this.lastEventId);
    if (data === '') return;
    this.events.push({ id: this.lastEventId, event, data: JSON.parse(data) });
    if (event === 'message') expectDocumentedEvent(this.path, JSON.parse(data));
  }
}
