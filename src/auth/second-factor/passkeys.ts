import { Inject, Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { name as serviceName } from '../../config/version.js';
import { CHALLENGE_SECONDS } from './factor-challenges.service.js';
import { type PasskeyPlace, passkeyPlace } from './passkey-place.js';
import type { NewPasskey, StoredPasskey } from './second-factor.types.js';

/** EdDSA, ES256 and RS256: every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT = CHALLENGE_SECONDS * 1_000;

/** The library and its parsers of certificates take 60 ms to load: only users of passkeys wait for them. */
const library = () => import('@simplewebauthn/server');

/** WebAuthn: what browsers are asked, and whether their answers are right. */
@Injectable()
export class Passkeys {
  private readonly place: PasskeyPlace | null;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.place = passkeyPlace(settings);
  }

  get areAvailable(): boolean {
    return this.place !== null;
  }

  /** @returns null where passkeys can't be used */
  async creationOptions(
    account: { readonly id: string; readonly email: string },
    challenge: string,
    known: readonly StoredPasskey[],
  ): Promise<PublicKeyCredentialCreationOptionsJSON | null> {
    if (!this.place) return null;
    const { generateRegistrationOptions } = await library();
    return generateRegistrationOptions({
      rpName: serviceName,
      rpID: this.place.rpId,
      userID: Buffer.from(account.id),
      userName: account.email,
      userDisplayName: account.email,
      challenge: bytesOf(challenge),
      excludeCredentials: known.map(credentialOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestationType: 'none',
      supportedAlgorithmIDs: ALGORITHMS,
      timeout: TIMEOUT,
    });
  }

  /** @returns null if it does not answer this challenge at this place, or can't be read */
  async readCreation(response: RegistrationResponseJSON, challenge: string): Promise<NewPasskey | null> {
    const expected = this.expected(response, challenge);
    if (!expected) return null;
    const { verifyRegistrationResponse } = await library();
    try {
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response,
        ...expected,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (!verified) return null;
      const { id, publicKey, counter, transports } = registrationInfo.credential;
      return {
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: transports ?? null,
      };
    } catch {
      // The library throws for each rule that an answer breaks; the caller does not learn which.
      return null;
    }
  }

  /** @returns null where passkeys can't be used, or there are none */
  async requestOptions(
    challenge: string,
    known: readonly StoredPasskey[],
  ): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
    if (!this.place || known.length === 0) return null;
    const { generateAuthenticationOptions } = await library();
    return generateAuthenticationOptions({
      rpID: this.place.rpId,
      challenge: bytesOf(challenge),
      allowCredentials: known.map(credentialOf),
      userVerification: 'preferred',
      timeout: TIMEOUT,
    });
  }

  /** @returns the passkey's new counter; null if the answer is wrong */
  async readAnswer(
    response: AuthenticationResponseJSON,
    challenge: string,
    passkey: StoredPasskey,
  ): Promise<number | null> {
    const expected = this.expected(response, challenge);
    if (!expected) return null;
    const { verifyAuthenticationResponse } = await library();
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        ...expected,
        credential: {
          id: passkey.credentialId,
          publicKey: bytesOf(passkey.publicKey),
          counter: passkey.counter,
        },
      });
      return verified ? authenticationInfo.newCounter : null;
    } catch {
      // As above.
      return null;
    }
  }

  /** The expected values of a passkey's answer; null if it comes from another place. */
  private expected(response: { readonly response: { readonly clientDataJSON: string } }, challenge: string) {
    const origin = originOf(response);
    if (!this.place || origin === null || !this.place.isOrigin(origin)) return null;
    return {
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: this.place.rpId,
      // The password was given before: the passkey is the second factor, not both.
      requireUserVerification: false,
    };
  }
}

/** @param answer of a browser, or anything else */
function originOf(answer: { readonly response?: { readonly clientDataJSON?: unknown } }): string | null {
  try {
    const text = Buffer.from(String(answer.response?.clientDataJSON), 'base64url').toString();
    const { origin } = JSON.parse(text) as { origin?: unknown };
    return typeof origin === 'string' ? origin : null;
  } catch {
    return null;
  }
}

function credentialOf({ credentialId, transports }: StoredPasskey) {
  return { id: credentialId, transports: transports ?? undefined };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
