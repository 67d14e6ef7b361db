import type { Invitation } from '@agent-control-plane/client';
import { NewSecret } from './new-secret.js';
import { pathHere } from './page-meta.js';

interface OneTimeLinkProps {
  readonly invitation: Invitation;
  readonly onDone: () => void;
}

/** The link with which a person sets a password. It leads to this dashboard. */
export function OneTimeLink({ invitation, onDone }: OneTimeLinkProps) {
  const { path, user } = invitation;
  return (
    <NewSecret secret={new URL(pathHere(path), location.origin).href} what="link" onDone={onDone}>
      Send it to {user.name ?? user.email}. It works once, within 72 hours, to set a password.
    </NewSecret>
  );
}
