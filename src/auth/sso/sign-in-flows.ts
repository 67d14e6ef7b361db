import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { RefusedError } from '../../errors/domain-error.js';
import { SigningKeys } from '../signing-keys.js';
import { TOKEN_ALGORITHM } from '../tokens.service.js';
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

  constructor(private readonly keys: SigningKeys) {}

  /** @param loopbackPort port of a program on the person's machine; absent: the dashboard began it */
  begin(loopbackPort?: number): { readonly flow: string; readonly secrets: SignInSecrets } {
    const secrets = {
      // The dashboard reads the port from the state.
      state: loopbackPort === undefined ? random() : `${loopbackPort}.${random()}`,
      nonce: random(),
      verifier: random(),
    };
    const { id, key } = this.keys.current;
    const flow = this.jwt.sign(
      { type: TYPE, ...secrets },
      { secret: key as never, algorithm: TOKEN_ALGORITHM, keyid: id, expiresIn: FLOW_SECONDS },
    );
    return { flow, secrets };
  }

  /** @throws RefusedError if it is no flow of this service, or is older than ten minutes */
  read(flow: string): SignInSecrets {
    try {
      const secret = this.keys.ofToken(flow) as never;
      const { type, state, nonce, verifier } = this.jwt.verify<Record<string, unknown>>(flow, { secret });
      if (type === TYPE) return { state, nonce, verifier } as SignInSecrets;
    } catch {
      // Malformed, expired, or signed by another key: the caller does not learn which.
    }
    throw new RefusedError(
      'sign_in_expired',
      'The sign-in was not begun here, or has taken more than ten minutes: start again',
    );
  }
}

function random(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
