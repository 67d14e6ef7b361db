import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectDocumentedMessage } from './api-contract.js';

/** A request as it arrived. */
export interface ReceivedMessage {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The raw body. */
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

type Behaviour = (message: ReceivedMessage) => Answer | 'hang';

/** A receiver of webhooks on this machine, with a configurable answer and a record of all messages. */
export class WebhookReceiver {
  readonly received: ReceivedMessage[] = [];
  private behaviour: Behaviour = () => ({ status: 200 });
  private readonly hanging = new Set<ServerResponse>();

  private constructor(
    private readonly server: Server,
    private readonly isOlder: boolean,
  ) {}

  /** @param isOlder true: an older version may send, so messages are not compared with the document of this one */
  static async start(isOlder = false): Promise<WebhookReceiver> {
    const server = createServer();
    // it never closes a connection on which a sender may be about to send
    server.keepAliveTimeout = 0;
    const receiver = new WebhookReceiver(server, isOlder);
    server.on('request', (request, response) => void receiver.receive(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Number of requests without an answer now. */
  get hangingCount(): number {
    return this.hanging.size;
  }

  /** The parsed bodies. */
  get events(): { type: string; timestamp: string; data: any }[] {
    return this.received.map(({ body }) => JSON.parse(body));
  }

  /** Sets the answer to later requests. */
  answer(status: number, rest: Omit<Answer, 'status'> = {}): void {
    this.behave(() => ({ status, ...rest }));
  }

  /** Leaves later requests without an answer. */
  hang(): void {
    this.behave(() => 'hang');
  }

  behave(behaviour: Behaviour): void {
    this.behaviour = behaviour;
  }

  /** Answers the waiting requests. */
  release({ status, headers, body }: Answer): void {
    for (const response of this.hanging) response.writeHead(status, headers).end(body);
  }

  /** Closes the connections of the waiting requests. */
  breakOff(): void {
    for (const response of this.hanging) response.destroy();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message: ReceivedMessage = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    this.received.push(message);
    if (!this.isOlder) checkMessage(message);
    const answer = this.behaviour(message);
    if (answer === 'hang') {
      this.hanging.add(response);
      response.once('close', () => this.hanging.delete(response));
      return;
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}

/** Checks a message by the API's document. A wrong one fails the test at its end. */
function checkMessage({ headers, body }: ReceivedMessage): void {
  // sent by a test, not by the service
  if (!('webhook-signature' in headers)) return;
  // Messages for people are not in the document.
  if (!body.startsWith('{"type":')) return;
  try {
    expectDocumentedMessage(headers, body);
  } catch {
    // it has been recorded
  }
}
