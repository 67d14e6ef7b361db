import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import type { User } from '@agent-control-plane/client';
import { request } from './request.js';
import type { SecondFactorChallenge } from './second-factor-challenge.js';

export type Proof =
  | { readonly code: string }
  | { readonly recovery_code: string }
  | { readonly passkey: AuthenticationResponseJSON }
  | { readonly password: string };

/** The second step of a sign-in. */
export const proveSignIn = (token: string, proof: Proof) =>
  request<User>('POST', '/api/auth/login/second-factor', { token, ...proof });

/** Begins a step-up of this session. */
export const beginStepUp = () => request<SecondFactorChallenge>('POST', '/api/auth/step-up/options');

/** The service then takes sensitive requests of this session for ten minutes. */
export const proveStepUp = (token: string, proof: Proof) =>
  request<unknown>('POST', '/api/auth/step-up', { ...('passkey' in proof && { token }), ...proof });
