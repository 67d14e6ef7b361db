import { Anchor, Divider, Stack } from '@mantine/core';
import { Link, Navigate, useLocation } from 'react-router';
import { useLoginMethods } from '../../api/login-methods.js';
import { SignInForm } from '../../components/sign-in-form.js';
import { useEnter } from './enter.js';
import { Entrance, ENTRANCE_TITLES, useWantedPath } from './entrance.js';
import { SsoButton } from './sso-button.js';

export function SignInPage() {
  const { search } = useLocation();
  const wanted = useWantedPath();
  const enter = useEnter(wanted);
  const { data: methods } = useLoginMethods();
  // until the methods are known, the form is shown, because most people need it
  const hasPassword = methods?.password !== false;
  // nobody can sign in yet
  if (methods?.creates_operator) return <Navigate to={`/sign-up${search}`} replace />;
  return (
    <Entrance
      title={ENTRANCE_TITLES['/sign-in']}
      footer={methods?.registration !== false && <SignUpOffer search={search} />}
    >
      <Stack>
        {hasPassword && <SignInForm onSignedIn={enter} />}
        {hasPassword && methods?.sso && <Divider label="or" />}
        {methods?.sso && <SsoButton wanted={wanted} />}
      </Stack>
    </Entrance>
  );
}

/** @param search the query of this page's address, which has the page that was wanted */
export function SignUpOffer({ search }: { readonly search: string }) {
  return (
    <>
      No account yet?{' '}
      <Anchor component={Link} to={`/sign-up${search}`} underline="always">
        Create one
      </Anchor>
    </>
  );
}
