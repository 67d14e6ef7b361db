import { Button, Code, Group } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '@agent-control-plane/client';
import { useRevealedAddress } from '../../api/webhooks.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';

/** The end of an address whose path the service hides from operators who are no members of the project. */
const HIDDEN_PATH = '/***';

/** Shows an operator the whole address of a webhook of others, which the audit log then says. */
export function HiddenAddress({ webhook }: { readonly webhook: Webhook }) {
  const [reveals, setReveals] = useState(false);
  if (!webhook.url.endsWith(HIDDEN_PATH)) return null;
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" onClick={() => setReveals(!reveals)}>
        {reveals ? 'Hide the address' : 'Reveal the address'}
      </Button>
      {reveals && <Address id={webhook.id} />}
    </Group>
  );
}

/** The address is read when this is mounted, and forgotten when it is gone. */
function Address({ id }: { readonly id: string }) {
  const { data, error } = useRevealedAddress(id);
  if (error) return <ErrorNotice title="The address was not shown" error={error} />;
  return data === undefined ? <Pending rows={1} /> : <Code>{data}</Code>;
}
