import { Center, Container } from '@mantine/core';
import { createContext, lazy, Suspense, useContext, useEffect, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import type { User } from '@agent-control-plane/client';
import { useSession } from '../api/session.js';
import { ErrorNotice } from '../components/error-notice.js';
import { Pending } from '../components/pending.js';
import { ServiceAwayBanner } from '../components/service-away-banner.js';
import { LiveUpdates } from './live-updates.js';
import { ProjectChoice } from './project-choice.js';
import { SignInAgain } from './sign-in-again.js';
import { pathHere } from '../components/page-meta.js';

const SignedIn = createContext<User | null>(null);

/** The signed-in user. */
export function useUser(): User {
  const user = useContext(SignedIn);
  if (user === null) throw new Error('useUser is for pages below RequireSession');
  return user;
}

/**
 * Shows its pages to signed-in users; other visitors sign in first and then return to the wanted page. When a session
 * ends while its page is open, the page stays, and the user signs in over it. Another user gets a new page load,
 * because the data on the page and in memory belongs to the previous one.
 */
export function RequireSession() {
  const session = useSession();
  const { pathname, search } = useLocation();
  const [owner, setOwner] = useState<User | null>(null);
  const { data } = session;
  if (data && owner === null) setOwner(data);
  if (owner !== null && data && data.id !== owner.id) return <BeginAnew />;
  const user = data ?? owner;
  if (user) {
    return (
      <SignedIn value={user}>
        <ProjectChoice user={user}>
          <LiveUpdates isPaused={data === null}>
            <Outlet />
          </LiveUpdates>
        </ProjectChoice>
        <SignInAgain user={user} isOver={data === null} />
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

/** Reloads the page, so that no data of the previous user stays in memory. */
function BeginAnew() {
  useEffect(() => location.replace(pathHere('/')), []);
  return null;
}

const ForOperatorsOnly = lazy(async () => ({
  default: (await import('./for-operators-only.js')).ForOperatorsOnly,
}));

export function RequireOperator() {
  return <Suspense>{useUser().is_admin ? <Outlet /> : <ForOperatorsOnly />}</Suspense>;
}
