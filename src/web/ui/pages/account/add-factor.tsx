import { Group } from '@mantine/core';
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import type { Factors } from '../../api/factors.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { canUsePasskeys } from '../../components/passkey-place.js';
import { AddAuthenticatorDialog } from './add-authenticator-dialog.js';
import { AddPasskeyDialog } from './add-passkey-dialog.js';

const NO_PASSKEYS = 'Passkeys work over https and on localhost: open the dashboard at such an address.';

/** The two kinds of factors to add. */
export function AddFactor({ factors }: { readonly factors: Factors }) {
  const [adding, setAdding] = useState<'totp' | 'passkey' | null>(null);
  const close = () => setAdding(null);
  return (
    <>
      <Group gap="sm">
        <GuardedButton
          variant="default"
          leftSection={<IconDeviceMobile size={16} aria-hidden />}
          refusal={null}
          onClick={() => setAdding('totp')}
        >
          Add an authenticator app
        </GuardedButton>
        <GuardedButton
          variant="default"
          leftSection={<IconFingerprint size={16} aria-hidden />}
          refusal={factors.passkeys_available && canUsePasskeys() ? null : NO_PASSKEYS}
          onClick={() => setAdding('passkey')}
        >
          Add a passkey
        </GuardedButton>
      </Group>
      {adding === 'totp' && <AddAuthenticatorDialog onClose={close} />}
      {adding === 'passkey' && <AddPasskeyDialog onClose={close} />}
    </>
  );
}
