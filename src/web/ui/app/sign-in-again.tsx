import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import type { User } from '@agent-control-plane/client';
import { queryKeys } from '../api/query-keys.js';
import { SignInForm } from '../components/sign-in-form.js';

export interface SignInAgainProps {
  /** Whose page it is. */
  readonly user: User;
  /** Their session is over. */
  readonly isOver: boolean;
}

/**
 * Asks for the password over the page, which stays as it is beneath: what was typed there is kept in memory, and nowhere
 * else, for it may hold secrets. It can't be closed, only left.
 */
export function SignInAgain({ user, isOver }: SignInAgainProps) {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOver) return undefined;
    // also where it was another tab that somebody has signed in with
    return () =>
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
  }, [isOver, client]);
  useEscapeKept(isOver);
  return (
    <Modal
      opened={isOver}
      onClose={() => undefined}
      title="Your session is over"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      // above a dialog of the page
      zIndex={250}
    >
      <Stack>
        <Text size="sm">Sign in again to go on. What you have typed is kept.</Text>
        <SignInForm
          email={user.email}
          onSignedIn={(again) => client.setQueryData(queryKeys.session, again)}
        />
        <Text size="sm">
          {/* a page load, so that nothing of this page is left in memory */}
          <Anchor href="/sign-in" underline="always">
            Leave this page instead
          </Anchor>
        </Text>
      </Stack>
    </Modal>
  );
}

/** Keeps Escape from a dialog of the page beneath, which would close and lose what was typed there. */
function useEscapeKept(isOver: boolean): void {
  const keep = useEffectEvent((event: KeyboardEvent) => {
    if (isOver && event.key === 'Escape') event.stopImmediatePropagation();
  });
  // before the listeners of any dialog, which are added in effects
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => keep(event);
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
