import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../access/request-origin.js';
import type { TokenPair } from '../tokens.service.js';
import { IdentityProvider } from './identity-provider.js';
import { SignInFlows } from './sign-in-flows.js';
import { SsoLogins } from './sso-logins.service.js';
import { type LoginMethods, SsoRules } from './sso-rules.js';
import type { BegunSignIn } from './sso.types.js';

/** Single sign-on with OpenID Connect: authorization code with PKCE. */
@Injectable()
export class SsoService {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly flows: SignInFlows,
    private readonly logins: SsoLogins,
    private readonly rules: SsoRules,
  ) {}

  methods(): Promise<LoginMethods> {
    return this.rules.methods();
  }

  /**
   * @param loopbackPort where a program on the person's machine listens; absent: the dashboard asks
   * @throws see {@link IdentityProvider.authorizationUrl}
   */
  async begin(loopbackPort: number | undefined): Promise<BegunSignIn> {
    const { flow, secrets } = this.flows.begin(loopbackPort);
    return { flow, authorizationUrl: await this.provider.authorizationUrl(secrets) };
  }

  /**
   * @param flow of {@link begin}, on any instance
   * @param query with which the provider sent the browser back
   * @throws RefusedError when the two don't belong together, or not to each other any more
   * @throws ForbiddenError when the person may not log in
   * @throws see {@link IdentityProvider.identify}
   */
  async finish(flow: string, query: string, origin: RequestOrigin): Promise<TokenPair> {
    const identity = await this.provider.identify(query, this.flows.read(flow));
    return this.logins.login(identity, origin);
  }
}
