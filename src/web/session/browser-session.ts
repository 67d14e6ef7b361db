import type { Response } from 'express';
import {
  readRefusal,
  type ServiceCall,
  type ServiceConnection,
  type ServiceReply,
} from '../proxy/service-connection.js';
import { NoSessionError } from '../web-error.js';
import type { KeptTokens, SessionCookies, SessionTokens } from './session-cookies.js';
import type { Client, SessionRenewals } from './session-renewals.js';

/** The session of one request: reads its cookies, renews the token, and writes the cookies. */
export class BrowserSession {
  private kept: KeptTokens;
  private begun: SessionTokens | undefined;
  private hasEnded = false;
  /** The new content of the single sign-on cookie; empty: the cookie is removed; undefined: unchanged. */
  private nextFlow: string | undefined;

  constructor(
    private readonly cookies: SessionCookies,
    private readonly renewals: SessionRenewals,
    cookieHeader: string | undefined,
    private readonly client: Client,
  ) {
    this.kept = cookies.read(cookieHeader);
  }

  /**
   * Calls the service with the session's token. An expired access token is renewed, once.
   *
   * @throws NoSessionError if there is no session, or the service refuses it; WebError if no reply of the service comes
   */
  async call(service: ServiceConnection, call: ServiceCall): Promise<ServiceReply> {
    const { access } = this.kept;
    const reply = await service.call({ ...call, token: access ?? (await this.renew()) });
    if (reply.status !== 401) return reply;
    await readRefusal(reply);
    // a token that was just renewed and is refused can't be renewed again
    if (access === undefined) throw this.over();
    const second = await service.call({ ...call, token: await this.renew() });
    if (second.status !== 401) return second;
    await readRefusal(second);
    throw this.over();
  }

  begin(tokens: SessionTokens): void {
    this.begun = tokens;
  }

  /** Stores the state of a single sign-on in this browser until it is finished. */
  keepFlow(flow: string): void {
    this.nextFlow = flow;
  }

  /** Returns and removes the state of the single sign-on that this browser has begun. */
  takeFlow(): string | undefined {
    this.nextFlow = '';
    return this.kept.flow;
  }

  end(): void {
    if (this.kept.refresh !== undefined) this.renewals.end(this.kept.refresh);
    this.hasEnded = true;
  }

  /** Sets or clears the cookies. Call it before the reply begins. */
  writeTo(response: Response): void {
    const { begun, nextFlow } = this;
    if (nextFlow !== undefined) response.append('Set-Cookie', this.cookies.keepFlow(nextFlow));
    const signedOutMeanwhile = [this.kept.refresh, begun?.refresh_token].some(
      (token) => token !== undefined && this.renewals.isOver(token),
    );
    if (this.hasEnded) response.append('Set-Cookie', this.cookies.clear());
    else if (begun && !signedOutMeanwhile) response.append('Set-Cookie', this.cookies.keep(begun));
  }

  private async renew(): Promise<string> {
    const { refresh } = this.kept;
    if (refresh === undefined) throw this.over();
    try {
      this.begun = await this.renewals.renew(refresh, this.client);
      return this.begun.access_token;
    } catch (error) {
      // only a refusal ends the session; an unreachable service does not
      if (error instanceof NoSessionError) this.hasEnded = true;
      throw error;
    }
  }

  private over(): NoSessionError {
    this.hasEnded = this.kept.access !== undefined || this.kept.refresh !== undefined;
    return new NoSessionError();
  }
}
