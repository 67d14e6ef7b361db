import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { ApiError } from '../api/request.js';
import type { Proof } from '../api/second-factor.js';
import type { ProofMethod, SecondFactorChallenge } from '../api/second-factor-challenge.js';
import { ErrorNotice } from './error-notice.js';
import { askForPasskey } from './lazy-passkeys.js';
import { canUsePasskeys } from './passkey-place.js';

const CODE_DIGITS = 6;

/** Errors that stand below the field, because another answer helps. */
const WRONG = ['wrong_second_factor', 'wrong_password'];

/** Names of the ways to each method, for people who see another one. */
const WAYS: Readonly<Record<ProofMethod, string>> = {
  passkey: 'Use a passkey',
  totp: 'Use a code of your authenticator app',
  recovery_code: 'Use a recovery code',
  password: 'Use your password',
};

export interface ProofFormProps {
  readonly challenge: SecondFactorChallenge;
  /** Label of the button, and name of the act: `Sign in`. */
  readonly label: string;
  readonly cancelLabel: string;
  /** Title of a failure: `You are not signed in`. */
  readonly failureTitle: string;
  /** Sends the proof. @throws ApiError */
  readonly prove: (proof: Proof) => Promise<unknown>;
  /** Called when the service does not take proofs for this challenge any more. */
  readonly onExpired: (error: Error) => void;
  readonly onCancel: () => void;
}

/** Asks a person to prove who they are, in one of the ways that the account has. */
export function ProofForm({ challenge, prove, onExpired, onCancel, ...words }: ProofFormProps) {
  const methods = usableMethods(challenge);
  const [method, setMethod] = useState<ProofMethod>(methods[0] ?? 'recovery_code');
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const attempt = useMutation({
    mutationFn: async (typed: string) => prove(await proofOf(method, typed, challenge)),
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'second_factor_expired') return onExpired(error);
      // a code counts once, so this one is of no use any more
      setText('');
      field.current?.focus();
    },
  });
  const { error } = attempt;
  const isPasskey = method === 'passkey';
  const isOfField = !isPasskey && error instanceof ApiError && WRONG.includes(error.code ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!attempt.isPending) attempt.mutate(text.trim());
  };
  const change = (typed: string) => {
    if (method !== 'totp') return setText(typed);
    const digits = typed.replace(/\D/g, '').slice(0, CODE_DIGITS);
    setText(digits);
    // a pasted code needs no button, nor does the last digit of a typed one
    if (digits.length === CODE_DIGITS && !attempt.isPending) attempt.mutate(digits);
  };
  const turnTo = (other: ProofMethod) => {
    setMethod(other);
    setText('');
    attempt.reset();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && !isOfField && <ErrorNotice title={words.failureTitle} error={error} />}
        {isPasskey ? (
          <Text size="sm">Your browser asks for the passkey of this account.</Text>
        ) : (
          <ProofField
            key={method}
            method={method}
            field={field}
            value={text}
            error={isOfField ? error.message : undefined}
            onChange={change}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {words.cancelLabel}
          </Button>
          <Button
            type="submit"
            loading={attempt.isPending}
            autoFocus={isPasskey}
            data-autofocus={isPasskey || undefined}
          >
            {isPasskey ? WAYS.passkey : words.label}
          </Button>
        </Group>
        {methods.length > 1 && (
          <Stack gap={4} align="flex-start">
            {methods
              .filter((other) => other !== method)
              .map((other) => (
                <Anchor
                  key={other}
                  component="button"
                  type="button"
                  size="sm"
                  underline="always"
                  onClick={() => turnTo(other)}
                >
                  {WAYS[other]}
                </Anchor>
              ))}
          </Stack>
        )}
      </Stack>
    </form>
  );
}

/** The methods that this page can use; all of them if it can use none, and the attempt then says why. */
function usableMethods({ methods }: SecondFactorChallenge): readonly ProofMethod[] {
  const usable = methods.filter((it) => it !== 'passkey' || canUsePasskeys());
  return usable.length === 0 ? methods : usable;
}

interface ProofFieldProps {
  readonly method: Exclude<ProofMethod, 'passkey'>;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (typed: string) => void;
}

function ProofField({ method, field, onChange, ...state }: ProofFieldProps) {
  const shared = {
    ...state,
    ref: field,
    required: true,
    withAsterisk: false,
    autoFocus: true,
    'data-autofocus': true,
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  if (method === 'password') {
    return <PasswordInput {...shared} label="Password" autoComplete="current-password" />;
  }
  if (method === 'recovery_code') {
    return (
      <TextInput
        {...shared}
        label="Recovery code"
        description="One of the codes you saved. Each works once."
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      label="Code"
      description="The six digits in your authenticator app."
      name="code"
      autoComplete="one-time-code"
      inputMode="numeric"
    />
  );
}

async function proofOf(
  method: ProofMethod,
  typed: string,
  { passkey_options: options }: SecondFactorChallenge,
): Promise<Proof> {
  switch (method) {
    case 'passkey':
      if (options === null) throw new Error('No passkey is available: use another method.');
      return { passkey: await askForPasskey(options) };
    case 'recovery_code':
      return { recovery_code: typed };
    case 'password':
      return { password: typed };
    case 'totp':
      return { code: typed };
  }
}
