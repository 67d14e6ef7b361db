import { hash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { RefusedError } from '../../errors/domain-error.js';
import { SigningKeys } from '../signing-keys.js';
import { TOKEN_ALGORITHM, tokenNames } from '../tokens.service.js';
import type { SignInSecrets } from './sso.types.js';

/** Time limit for a person at the provider's pages. */
export const FLOW_SECONDS = 10 * 60;
const SECRET_BYTES = 32;
const TYPE = 'sso';

/**
 * The state of a sign-in between its beginning and its end. The browser or program that began it keeps it as a signed
 * token, so that any instance can finish it and nothing is stored.
 */
@Injectable()
export class SignInFlows {
  private readonly jwt = new JwtService({ verifyOptions: { algorithms: [TOKEN_ALGORITHM] } });

  /** A flow is good at the service that began it, and for nothing but a sign-in. */
  private readonly names: { readonly issuer: string; readonly audience: string };

  constructor(
    private readonly keys: SigningKeys,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const { issuer } = tokenNames(settings);
    this.names = { issuer, audience: `${issuer}/auth/sso` };
  }

  /**
   * @param challenge of the verifier that the client keeps
   * @param loopbackPort port of a program on the person's machine; absent: the dashboard began it
   */
  begin(
    challenge: string,
    loopbackPort?: number,
  ): { readonly flow: string; readonly secrets: SignInSecrets } {
    const secrets = {
      // The dashboard reads the port from the state.
      state: loopbackPort === undefined ? random() : `${loopbackPort}.${random()}`,
      nonce: random(),
      challenge,
    };
    const { id, key } = this.keys.current;
    const flow = this.jwt.sign(
      { type: TYPE, ...secrets },
      {
        ...{ secret: key as never, algorithm: TOKEN_ALGORITHM, keyid: id, expiresIn: FLOW_SECONDS },
        ...this.names,
      },
    );
    return { flow, secrets };
  }

  /**
   * @param verifier of the client that began it
   * @throws RefusedError if it is no flow of this service and this client, or is older than ten minutes
   */
  read(flow: string, verifier: string): SignInSecrets {
    try {
      const secret = this.keys.ofToken(flow) as never;
      const claims = this.jwt.verify<Record<string, unknown>>(flow, { secret, ...this.names });
      const { type, state, nonce, challenge } = claims;
      if (type === TYPE && challenge === challengeOf(verifier))
        return { state, nonce, challenge } as SignInSecrets;
    } catch {
      // Malformed, expired, of another service, or signed by another key: the caller does not learn which.
    }
    throw new RefusedError(
      'sign_in_expired',
      'The sign-in was started elsewhere, or took more than ten minutes: start again',
    );
  }
}

/** RFC 7636, 4.2. */
function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}

function random(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
