import { parseCookie, stringifySetCookie } from 'cookie';
import type { components } from '@agent-control-plane/client';
import { isLocalhost, type OwnOrigin } from '../same-origin.js';

/** Lifetime of the service's refresh token; each renewal begins again. */
const REFRESH_SECONDS = 7 * 24 * 60 * 60;

/** Time that a person may take at the identity provider's pages: that of the service. */
const FLOW_SECONDS = 10 * 60;

/** The characters of a JWT; a cookie with others was not set by this server. */
const TOKEN = /^[\w.-]{1,4000}$/;

/** The tokens of a login or renewal. */
export type SessionTokens = components['schemas']['TokensResponse'];

export interface KeptTokens {
  readonly access: string | undefined;
  readonly refresh: string | undefined;
  /** The state of the single sign-on that this browser has begun. */
  readonly flow: string | undefined;
}

/**
 * The two cookies of a session with its tokens, a third that only says that there is a session, and that of a single sign-on.
 * Scripts can't read them.
 */
export class SessionCookies {
  /** True if the cookies are `Secure`: outside localhost browsers send them over TLS only. */
  readonly isSecure: boolean;
  private readonly access: string;
  private readonly refresh: string;
  private readonly signedIn: string;
  private readonly flow: string;

  private readonly paths: { readonly pages: string; readonly refresh: string; readonly flow: string };

  /** @param basePath of the dashboard, without a slash at its end; empty: it is at the root */
  constructor(own: OwnOrigin, basePath: string) {
    this.paths = {
      pages: basePath || '/',
      refresh: `${basePath}/api`,
      flow: `${basePath}/api/auth/sso`,
    };
    this.isSecure = own.scheme === 'https:' || !isLocalhost(own.hostname);
    // with a prefix, browsers refuse a cookie of that name that is not `Secure` (RFC 6265bis), and with `__Host-` one that is not
    // for this host and all its paths, which other programs have where the dashboard has only one of them;
    // the ports of localhost share their cookies, so the port in the name keeps two servers apart
    const port = own.host.slice(own.hostname.length + 1) || '80';
    const prefix = `__${basePath === '' ? 'Host' : 'Secure'}-`;
    this.access = this.isSecure ? `${prefix}svc_access` : `svc_access_${port}`;
    this.signedIn = this.isSecure ? `${prefix}svc_signed_in` : `svc_signed_in_${port}`;
    this.refresh = this.isSecure ? '__Secure-svc_refresh' : `svc_refresh_${port}`;
    this.flow = this.isSecure ? '__Secure-svc_sso' : `svc_sso_${port}`;
  }

  read(header: string | undefined): KeptTokens {
    const cookies = parseCookie(header ?? '');
    const token = (name: string) => {
      const value = cookies[name];
      return value !== undefined && TOKEN.test(value) ? value : undefined;
    };
    return { access: token(this.access), refresh: token(this.refresh), flow: token(this.flow) };
  }

  /**
   * Returns true if a request for a page comes from a browser with a session, which the service may have ended. The cookies
   * with tokens don't say it: that of the access token ends with the token, that of the refresh token is not sent for pages.
   */
  hasSession(header: string | undefined): boolean {
    return parseCookie(header ?? '')[this.signedIn] !== undefined;
  }

  /** Values of `Set-Cookie`. The access cookie expires with its token; its absence means that the token has expired. */
  keep(tokens: SessionTokens): string[] {
    return [
      this.cookie(this.access, tokens.access_token, this.paths.pages, tokens.expires_in),
      this.cookie(this.refresh, tokens.refresh_token, this.paths.refresh, REFRESH_SECONDS),
      this.cookie(this.signedIn, 'true', this.paths.pages, REFRESH_SECONDS),
    ];
  }

  clear(): string[] {
    return [
      this.cookie(this.access, '', this.paths.pages, 0),
      this.cookie(this.refresh, '', this.paths.refresh, 0),
      this.cookie(this.signedIn, '', this.paths.pages, 0),
    ];
  }

  /** @param flow empty: the sign-in has ended */
  keepFlow(flow: string): string {
    return this.cookie(this.flow, flow, this.paths.flow, flow === '' ? 0 : FLOW_SECONDS);
  }

  private cookie(name: string, value: string, path: string, maxAge: number): string {
    return stringifySetCookie({
      name,
      value,
      path,
      maxAge,
      httpOnly: true,
      sameSite: 'lax',
      secure: this.isSecure,
    });
  }
}
