import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { components } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

type Schemas = components['schemas'];

export type Factors = Schemas['SecondFactorsResponse'];
/** An authenticator app that is not confirmed yet. */
export type NewAuthenticator = Schemas['NewTotpResponse'];
/** A factor that was added; the first one comes with recovery codes. */
export type AddedFactor = Schemas['ConfirmedFactorResponse'];

type PasskeyOptions = Omit<Schemas['PasskeyCreationResponse'], 'options'> & {
  /** In the form that browsers take; the document leaves it open. */
  readonly options: PublicKeyCredentialCreationOptionsJSON;
};

/** The second factors of the user. */
export const useFactors = () =>
  useQuery({
    queryKey: queryKeys.factors,
    queryFn: ({ signal }) => request<Factors>('GET', '/api/auth/factors', undefined, { signal }),
  });

/** A request that changes the factors, which are then read again. */
function useFactorChange<Wanted, Reply>(send: (wanted: Wanted) => Promise<Reply>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.factors }),
  });
}

/** Begins to add an authenticator app; it counts when it is confirmed. */
export const useBeginAuthenticator = () =>
  useMutation({
    mutationFn: (name: string) => request<NewAuthenticator>('POST', '/api/auth/factors/totp', { name }),
  });

export const useConfirmAuthenticator = (id: string) =>
  useFactorChange((code: string) =>
    request<AddedFactor>('POST', `/api/auth/factors/${id}/confirm`, { code }),
  );

/** @param make asks the browser for the passkey */
export const useAddPasskey = (
  make: (options: PublicKeyCredentialCreationOptionsJSON) => Promise<RegistrationResponseJSON>,
) =>
  useFactorChange(async (name: string) => {
    const { token, options } = await request<PasskeyOptions>('POST', '/api/auth/factors/passkeys/options');
    const response = await make(options);
    return request<AddedFactor>('POST', '/api/auth/factors/passkeys', { token, name, response });
  });

export const useRemoveFactor = (id: string) =>
  useFactorChange(() => request<void>('DELETE', `/api/auth/factors/${id}`));

/** Makes ten new recovery codes; those of before are refused from then on. */
export const useNewRecoveryCodes = () =>
  useFactorChange(() => request<Schemas['RecoveryCodesResponse']>('POST', '/api/auth/recovery-codes'));
