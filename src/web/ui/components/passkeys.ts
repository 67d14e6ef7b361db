import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';

/** Asks the browser to sign in with one of these passkeys. @throws Error with a text for people */
export const askForPasskey = (
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> =>
  inWords(() => startAuthentication({ optionsJSON }), optionsJSON.rpId);

/** Asks the browser for a new passkey. @throws Error with a text for people */
export const makePasskey = (
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> => inWords(() => startRegistration({ optionsJSON }), optionsJSON.rp.id);

/** @param name the host for which the passkeys are */
async function inWords<Made>(ask: () => Promise<Made>, name: string | undefined): Promise<Made> {
  if (!browserSupportsWebAuthn()) throw new Error('Passkeys need https or http://localhost.');
  try {
    return await ask();
  } catch (error) {
    throw new Error(wordsFor(error, name), { cause: error });
  }
}

/** The browsers' own names of what went wrong: https://www.w3.org/TR/webauthn-3/#sctn-op-create */
function wordsFor(error: unknown, name: string | undefined): string {
  switch (error instanceof Error ? error.name : '') {
    case 'NotAllowedError':
    case 'AbortError':
      return 'No passkey was received: the request was cancelled or took too long.';
    case 'InvalidStateError':
      return 'This device already has a passkey for this account.';
    case 'SecurityError':
      return `Passkeys are for ${name ?? 'another address'}, and this page is at ${location.hostname}.`;
    default:
      return `The browser got no passkey: ${error instanceof Error ? error.message : String(error)}`;
  }
}
