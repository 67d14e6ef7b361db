import type { Dispatcher } from 'undici';

type AnswerHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** Number of bytes of an answer's body that are stored. */
const KEPT_BYTES = 2_048;
/**
 * Maximum number of bytes of the body that are read, so that the connection can be used again; the connection of a
 * longer one is closed.
 */
const READ_BYTES = 65_536;

export interface WebhookAnswer {
  readonly statusCode: number;
  readonly headers: AnswerHeaders;
  /** The beginning of the body; it may be shorter than the bytes that were sent. */
  readonly body: Buffer;
}

/**
 * One request and the beginning of its answer, as callbacks of `undici`: a stream for each answer's body and a signal
 * for each request took a tenth of the time of a delivery.
 */
export class WebhookExchange implements Dispatcher.DispatchHandler {
  /** The answer. Rejects with the error that ended the exchange before there was a status. */
  readonly answer: Promise<WebhookAnswer>;
  private readonly resolve: (answer: WebhookAnswer) => void;
  private readonly reject: (reason: Error) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private brokenOff: Error | undefined;
  private status: Pick<WebhookAnswer, 'statusCode' | 'headers'> | undefined;
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  private read = 0;

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<WebhookAnswer>();
    this.answer = promise;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Ends sending and reading. The result follows from the received part. */
  breakOff(reason: Error): void {
    this.brokenOff = reason;
    this.controller?.abort(reason);
    this.end(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.brokenOff) controller.abort(this.brokenOff);
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: AnswerHeaders): void {
    // A status below 200 is followed by another one.
    if (statusCode >= 200) this.status = { statusCode, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.kept < KEPT_BYTES) {
      this.chunks.push(chunk.subarray(0, KEPT_BYTES - this.kept));
      this.kept = Math.min(KEPT_BYTES, this.kept + chunk.length);
    }
    this.read += chunk.length;
    if (this.read > READ_BYTES) controller.abort(new Error('The response is too long'));
  }

  onResponseEnd(): void {
    this.end(new Error('The response has no status'));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(error);
  }

  /** Ends the exchange. Once there is a status, a body that stalls or breaks off does not change the result. */
  private end(withoutStatus: Error): void {
    if (this.status) this.resolve({ ...this.status, body: Buffer.concat(this.chunks) });
    else this.reject(withoutStatus);
  }
}
