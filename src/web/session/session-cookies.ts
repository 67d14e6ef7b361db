import { parseCookie, stringifySetCookie } from 'cookie';
import type { components } from '@agent-control-plane/client';
import { isLocalhost, type OwnOrigin } from '../same-origin.js';

/** As long as the service's refresh token is good for; each renewal begins anew. */
const REFRESH_SECONDS = 7 * 24 * 60 * 60;

/** What a JWT is made of; whatever else a cookie may hold was never set here. */
const TOKEN = /^[\w.-]{1,4000}$/;

/** What signing in and renewing give. */
export type SessionTokens = components['schemas']['TokensResponse'];

export interface KeptTokens {
  readonly access: string | undefined;
  readonly refresh: string | undefined;
}

/** The two cookies of a session, as one origin keeps them. Scripts see neither. */
export class SessionCookies {
  /** Outside localhost a browser sends them over TLS alone. */
  readonly isSecure: boolean;
  private readonly access: string;
  private readonly refresh: string;

  constructor(own: OwnOrigin) {
    this.isSecure = own.scheme === 'https:' || !isLocalhost(own.hostname);
    // a prefix makes the browser itself refuse a cookie of that name which is not as this one must be (RFC 6265bis);
    // on localhost, whose ports share their cookies, the port keeps two servers from signing each other's people out
    const port = own.host.slice(own.hostname.length + 1) || '80';
    this.access = this.isSecure ? '__Host-svc_access' : `svc_access_${port}`;
    this.refresh = this.isSecure ? '__Secure-svc_refresh' : `svc_refresh_${port}`;
  }

  read(header: string | undefined): KeptTokens {
    const cookies = parseCookie(header ?? '');
    const token = (name: string) => {
      const value = cookies[name];
      return value !== undefined && TOKEN.test(value) ? value : undefined;
    };
    return { access: token(this.access), refresh: token(this.refresh) };
  }

  /** For `Set-Cookie`. The access cookie goes when its token expires: its absence is what says that it has. */
  keep(tokens: SessionTokens): string[] {
    return [
      this.cookie(this.access, tokens.access_token, '/', tokens.expires_in),
      this.cookie(this.refresh, tokens.refresh_token, '/api', REFRESH_SECONDS),
    ];
  }

  clear(): string[] {
    return [this.cookie(this.access, '', '/', 0), this.cookie(this.refresh, '', '/api', 0)];
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
