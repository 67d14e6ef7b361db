import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useRef, useState } from 'react';
import {
  type AddedFactor,
  type NewAuthenticator,
  useBeginAuthenticator,
  useConfirmAuthenticator,
} from '../../api/factors.js';
import { CodeBlock } from '../../components/code-block.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { FactorNameForm } from './factor-name-form.js';
import { FactorAdded } from './factor-added.js';

const QrCode = lazy(async () => ({ default: (await import('./qr-code.js')).QrCode }));

const CODE_DIGITS = 6;

/** Adds an authenticator app: its name, its secret, and a code that proves that the app has it. */
export function AddAuthenticatorDialog({ onClose }: { readonly onClose: () => void }) {
  const begin = useBeginAuthenticator();
  const [added, setAdded] = useState<AddedFactor | null>(null);
  const started = begin.data;
  return (
    <Modal
      opened
      onClose={onClose}
      title="Add an authenticator app"
      // a click outside must not close it: recovery codes can't be shown again
      closeOnClickOutside={false}
      closeOnEscape={!added}
    >
      {added ? (
        <FactorAdded added={added} onDone={onClose} />
      ) : started ? (
        <ConfirmForm started={started} onAdded={setAdded} onCancel={onClose} />
      ) : (
        <FactorNameForm
          suggestion="Authenticator app"
          label="Continue"
          failureTitle="The app was not added"
          error={begin.error}
          isBusy={begin.isPending}
          onSubmit={(name) => begin.mutate(name)}
          onCancel={onClose}
        />
      )}
    </Modal>
  );
}

interface ConfirmFormProps {
  readonly started: NewAuthenticator;
  readonly onAdded: (added: AddedFactor) => void;
  readonly onCancel: () => void;
}

function ConfirmForm({ started, onAdded, onCancel }: ConfirmFormProps) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const confirm = useConfirmAuthenticator(started.id);
  const send = (digits: string) => {
    if (confirm.isPending) return;
    confirm.mutate(digits, {
      onSuccess: onAdded,
      onError: () => {
        setCode('');
        field.current?.focus();
      },
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(code);
  };
  const change = (typed: string) => {
    const digits = typed.replace(/\D/g, '').slice(0, CODE_DIGITS);
    setCode(digits);
    if (digits.length === CODE_DIGITS) send(digits);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">Scan this with your authenticator app, then enter the code that it shows.</Text>
        <Suspense fallback={<Pending rows={1} height={200} />}>
          <QrCode text={started.otpauth_uri} label="QR code with the secret, which is also below" />
        </Suspense>
        <Text size="sm">Or enter the secret in the app by hand:</Text>
        <CodeBlock code={started.secret} shown={inGroups(started.secret)} what="secret" />
        {confirm.error && <ErrorNotice title="The app was not added" error={confirm.error} />}
        <TextInput
          ref={field}
          label="Code"
          description="The six digits in your app."
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          withAsterisk={false}
          data-autofocus
          value={code}
          onChange={(event) => change(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            Add the app
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Groups of four characters, four in a line: what people can keep in mind while they type, and as wide as a phone. */
function inGroups(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, (group, at: number) => group + ((at / 4) % 4 === 3 ? '\n' : ' '));
}
