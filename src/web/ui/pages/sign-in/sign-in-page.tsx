import { Anchor } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import { SignInForm } from '../../components/sign-in-form.js';
import { useEnter } from './enter.js';
import { Entrance } from './entrance.js';

export function SignInPage() {
  const { search } = useLocation();
  const enter = useEnter();
  const footer = (
    <>
      No account yet?{' '}
      <Anchor component={Link} to={`/sign-up${search}`} underline="always">
        Create one
      </Anchor>
    </>
  );
  return (
    <Entrance title="Sign in" footer={footer}>
      <SignInForm onSignedIn={enter} />
    </Entrance>
  );
}
