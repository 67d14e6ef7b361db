import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** The cost of one call; dollars. */
export const PRICE_USD = 0.02;
/** Time of one call. */
const TAKES_MS = 20;
const ANSWER = JSON.stringify({ input_tokens: 1_000, output_tokens: 200, cost_usd: PRICE_USD });

/** A model that answers every caller, and records callers and times. */
export class FakeModel {
  /** When each call was answered, by `performance.now()`. */
  readonly answeredAt: number[] = [];
  /** The processes that have called it. */
  readonly callers = new Set<number>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<FakeModel> {
    const server = createServer();
    const model = new FakeModel(server);
    server.on('request', (request, response) => void model.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.callers.add(Number(await text(request)));
    await delay(TAKES_MS);
    this.answeredAt.push(performance.now());
    response.setHeader('Content-Type', 'application/json').end(ANSWER);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get spentUsd(): string {
    return (this.answeredAt.length * PRICE_USD).toFixed(6);
  }

  /** Spending above a limit, in words. */
  overshoot(limitUsd: number): string {
    const allowed = Math.ceil(limitUsd / PRICE_USD);
    const more = this.answeredAt.length - allowed;
    const seconds = (this.answeredAt.at(-1)! - this.answeredAt[allowed - 1]!) / 1_000;
    return `${more} calls and ${(more * PRICE_USD).toFixed(2)} dollars above the limit, the last ${seconds.toFixed(1)} s after it`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
