import { Inject, Injectable } from '@nestjs/common';
import { Agent } from 'undici';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { name, version } from '../config/version.js';
import { storable } from '../http/storable-text.js';
import { AttemptTimeoutError, failedAttempt, failureOf } from './attempt-failure.js';
import { retryAfterSeconds } from './retry-schedule.js';
import { ProxyTunnels } from './proxy-tunnels.js';
import { vettedConnector } from './vetted-connector.js';
import type { AttemptResult } from './webhook.types.js';
import { type WebhookAnswer, WebhookExchange } from './webhook-exchange.js';
import { WebhookTargets } from './webhook-targets.js';

const MAXIMUM_HEADER_BYTES = 16_384;

export interface OutgoingMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
}

/** The sender was closed while the attempt was under way, so its result is unknown. */
export class SenderClosedError extends Error {}

/**
 * Makes attempts: one POST each, to checked addresses, within the time limit, without following redirects; only the beginning of the
 * answer is stored.
 */
@Injectable()
export class WebhookSender {
  private readonly agent: Agent;
  private readonly tunnels: ProxyTunnels;
  private closed = false;

  constructor(
    targets: WebhookTargets,
    @Inject(SETTINGS)
    private readonly settings: Pick<
      Settings,
      'WEBHOOK_TIMEOUT_SECONDS' | 'HTTP_PROXY' | 'HTTPS_PROXY' | 'NO_PROXY'
    >,
  ) {
    const timeoutMs = settings.WEBHOOK_TIMEOUT_SECONDS * 1_000;
    this.tunnels = new ProxyTunnels(settings, timeoutMs);
    this.agent = new Agent({
      connect: vettedConnector(targets, this.tunnels, timeoutMs),
      // Disabled: only the deadline of the whole attempt limits the time.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
      allowH2: false,
    });
  }

  /**
   * Makes one attempt. Any failure of it is its result.
   *
   * @throws SenderClosedError
   */
  async send(message: OutgoingMessage): Promise<AttemptResult> {
    const seconds = this.settings.WEBHOOK_TIMEOUT_SECONDS;
    const exchange = new WebhookExchange();
    const timer = setTimeout(
      () => exchange.breakOff(new AttemptTimeoutError(`No response within ${seconds} seconds`)),
      seconds * 1_000,
    );
    try {
      this.begin(message, exchange);
      return resultOf(await exchange.answer);
    } catch (error) {
      if (this.closed) throw new SenderClosedError('The sender was closed', { cause: error });
      return failedAttempt(failureOf(error));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends attempts under way; no further message can be sent. */
  async close(): Promise<void> {
    this.closed = true;
    this.tunnels.close();
    await this.agent.destroy();
  }

  private begin({ url, headers, contentType, body }: OutgoingMessage, exchange: WebhookExchange): void {
    const { origin, pathname, search } = new URL(url);
    const request = {
      origin,
      path: pathname + search,
      method: 'POST' as const,
      headers: { ...headers, 'content-type': contentType, 'user-agent': `${name}/${version}` },
      body,
    };
    this.agent.dispatch(request, exchange);
  }
}

function resultOf({ statusCode, headers, body }: WebhookAnswer): AttemptResult {
  const succeeded = statusCode >= 200 && statusCode < 300;
  return {
    succeeded,
    statusCode,
    // Decoded as a stream: an incomplete character at the end is left out.
    responseBody: storable(new TextDecoder().decode(body, { stream: true })),
    errorMessage: succeeded ? null : describeStatus(statusCode),
    // A proxy on the way may add its own header: the first one counts.
    retryAfterSeconds: retryAfterSeconds([headers['retry-after']].flat()[0], new Date()),
  };
}

function describeStatus(status: number): string {
  return status >= 300 && status < 400
    ? `The endpoint answered ${status}; redirects are not followed`
    : `The endpoint answered ${status}`;
}
