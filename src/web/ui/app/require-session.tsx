import { Button, Center, Container } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { createContext, useContext } from 'react';
import { Link, Navigate, Outlet, useLocation } from 'react-router';
import type { User } from '../../../client/models.js';
import { useSession } from '../api/session.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorNotice } from '../components/error-notice.js';
import { PageHeader } from '../components/page-header.js';
import { Pending } from '../components/pending.js';
import { ServiceAwayBanner } from '../components/service-away-banner.js';
import { LiveUpdates } from './live-updates.js';

const SignedIn = createContext<User | null>(null);

/** The person who is signed in. */
export function useUser(): User {
  const user = useContext(SignedIn);
  if (user === null) throw new Error('useUser is for pages below RequireSession');
  return user;
}

/** Only for who is signed in; anybody else signs in first and comes back to where they wanted to go. */
export function RequireSession() {
  const session = useSession();
  const { pathname, search } = useLocation();
  if (session.data) {
    return (
      <SignedIn value={session.data}>
        <LiveUpdates>
          <Outlet />
        </LiveUpdates>
      </SignedIn>
    );
  }
  if (session.data === null) {
    const wanted = `${pathname}${search}`;
    return (
      <Navigate to={wanted === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`} replace />
    );
  }
  return (
    <Center component="main" mih="100dvh">
      <Container w="100%" size="xs">
        <ServiceAwayBanner />
        {session.error ? (
          <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />
        ) : (
          <Pending />
        )}
      </Container>
    </Center>
  );
}

export function RequireOperator() {
  if (useUser().is_admin) return <Outlet />;
  return (
    <>
      <PageHeader title="For operators only" />
      <EmptyState
        icon={IconLock}
        title="Your account is not an operator's"
        action={
          <Button component={Link} to="/agents" variant="default">
            Go to your agents
          </Button>
        }
      >
        An operator of this service can change that for you.
      </EmptyState>
    </>
  );
}
