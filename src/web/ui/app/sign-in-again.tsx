import { Anchor, Button, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { User } from '@agent-control-plane/client';
import { useLoginMethods } from '../api/login-methods.js';
import { queryKeys } from '../api/query-keys.js';
import { SignInForm } from '../components/sign-in-form.js';
import { useEscapeKept } from '../components/escape-kept.js';
import { pathHere } from '../components/page-meta.js';

export interface SignInAgainProps {
  /** The user of the page. */
  readonly user: User;
  /** The session has ended. */
  readonly isOver: boolean;
}

/**
 * Asks for the password over the page, which stays unchanged. Input on the page is kept in memory only, because it may hold
 * secrets. The dialog can't be closed; its user can sign in or leave.
 */
export function SignInAgain({ user, isOver }: SignInAgainProps) {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOver) return undefined;
    // also after a sign-in in another tab
    return () =>
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
  }, [isOver, client]);
  const { data: methods } = useLoginMethods(isOver);
  useEscapeKept(isOver);
  return (
    <Modal
      opened={isOver}
      onClose={() => undefined}
      title="Your session has ended"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      // above a dialog of the page
      zIndex={250}
    >
      <Stack>
        <Text size="sm">Sign in again to continue. What you have typed is kept.</Text>
        {methods?.password !== false && (
          <SignInForm
            email={user.email}
            onSignedIn={(again) => client.setQueryData(queryKeys.session, again)}
          />
        )}
        {methods?.sso && (
          // in another tab, because this one keeps the input
          <Button component="a" href={pathHere('/sign-in')} target="_blank" variant="default">
            Sign in with single sign-on, in another tab
          </Button>
        )}
        <Text size="sm">
          {/* a page load, so that nothing of this page is left in memory */}
          <Anchor href={pathHere('/sign-in')} underline="always">
            Leave this page instead
          </Anchor>
        </Text>
      </Stack>
    </Modal>
  );
}
