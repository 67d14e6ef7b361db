import type { LookupFunction } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type Settings, SETTINGS } from '../config/settings.js';
import { name, version } from '../config/version.js';
import { storable } from '../http/storable-text.js';
import { AttemptTimeoutError, failedAttempt, failureOf } from './attempt-failure.js';
import { retryAfterSeconds } from './retry-schedule.js';
import { literalAddress } from './target-guard.js';
import type { AttemptResult } from './webhook.types.js';
import { WebhookTargets } from './webhook-targets.js';

/** Bytes of an answer's body that are kept. */
const KEPT_BYTES = 2_048;
/** Bytes of it that are read, so that the connection can be used again; a longer one is cut off. */
const READ_BYTES = 65_536;
const MAXIMUM_HEADER_BYTES = 16_384;

export interface OutgoingMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
}

/** The sender was closed while the attempt was under way: what came of it is not known. */
export class SenderClosedError extends Error {}

/**
 * Makes attempts: one POST each, to vetted addresses, within the time, redirects not followed, proxies of the
 * environment not used, little of the answer kept.
 */
@Injectable()
export class WebhookSender {
  private readonly agent: Agent;
  private closed = false;

  constructor(
    private readonly targets: WebhookTargets,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WEBHOOK_TIMEOUT_SECONDS'>,
  ) {
    this.agent = new Agent({
      connect: this.vettedConnector(),
      // The deadline of the whole attempt is the only clock.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
      allowH2: false,
    });
  }

  /**
   * One attempt. Whatever goes wrong with it is its result.
   *
   * @throws SenderClosedError
   */
  async send(message: OutgoingMessage): Promise<AttemptResult> {
    const seconds = this.settings.WEBHOOK_TIMEOUT_SECONDS;
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new AttemptTimeoutError(`No answer within ${seconds} seconds`)),
      seconds * 1_000,
    );
    try {
      return await this.attempt(message, deadline.signal);
    } catch (error) {
      if (this.closed) throw new SenderClosedError('The sender was closed', { cause: error });
      return failedAttempt(failureOf(error));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends what is under way; nothing can be sent any more. */
  async close(): Promise<void> {
    this.closed = true;
    await this.agent.destroy();
  }

  private async attempt(message: OutgoingMessage, signal: AbortSignal): Promise<AttemptResult> {
    const { origin, pathname, search } = new URL(message.url);
    const answer = await this.agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: {
        ...message.headers,
        'content-type': message.contentType,
        'user-agent': `${name}/${version}`,
      },
      body: message.body,
      signal,
    });
    const succeeded = answer.statusCode >= 200 && answer.statusCode < 300;
    const retryAfter = answer.headers['retry-after'];
    return {
      succeeded,
      statusCode: answer.statusCode,
      responseBody: await beginningOf(answer.body),
      errorMessage: succeeded ? null : describeStatus(answer.statusCode),
      retryAfterSeconds: retryAfterSeconds(
        Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        new Date(),
      ),
    };
  }

  /**
   * The name is resolved once for each connection, all its addresses are judged, and the connection is made to those
   * and no other: a name that changes its answer in between gains nothing.
   */
  private vettedConnector(): buildConnector.connector {
    const lookup: LookupFunction = (hostname, options, callback) => {
      this.targets.addressesOf(hostname).then(
        (addresses) => {
          if (options.all) callback(null, addresses);
          else callback(null, addresses[0]!.address, addresses[0]!.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    };
    const connect = buildConnector({ lookup, timeout: this.settings.WEBHOOK_TIMEOUT_SECONDS * 1_000 });
    return (options, callback) => {
      if (literalAddress(options.hostname) === null) {
        connect(options, callback);
        return;
      }
      // An address is never looked up, so it is judged here.
      this.targets.addressesOf(options.hostname).then(
        () => connect(options, callback),
        (error: Error) => callback(error, null),
      );
    };
  }
}

function describeStatus(status: number): string {
  return status >= 300 && status < 400
    ? `The endpoint answered ${status}; redirects are not followed`
    : `The endpoint answered ${status}`;
}

/** The status has decided already: a body that stalls or breaks off changes nothing. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let kept = 0;
  let read = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (kept < KEPT_BYTES) chunks.push(chunk.subarray(0, KEPT_BYTES - kept));
      kept = Math.min(KEPT_BYTES, kept + chunk.length);
      read += chunk.length;
      if (read > READ_BYTES) break;
    }
  } catch {
    // The part that has arrived is kept.
  }
  // As a stream: a character that was cut in two at the end is left out.
  return storable(new TextDecoder().decode(Buffer.concat(chunks), { stream: true }));
}
