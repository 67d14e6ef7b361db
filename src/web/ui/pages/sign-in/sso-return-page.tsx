import { Anchor } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { finishSso } from '../../api/login-methods.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { useEnter } from './enter.js';
import { Entrance, ENTRANCE_TITLES } from './entrance.js';
import { ProgramQuestion } from './program-question.js';
import { programSignIn } from './program-sign-in.js';
import { keptWantedPath } from './wanted-path.js';

/** Page to which the identity provider redirects the browser, with a code that is valid once. */
export function SsoReturnPage() {
  const { search } = useLocation();
  const program = programSignIn(search);
  return program ? (
    <Entrance title="Sign in to a program" footer={<BackLink />} isForAll>
      <ProgramQuestion program={program} />
    </Entrance>
  ) : (
    <OwnReturn search={search} />
  );
}

function BackLink() {
  return (
    <Anchor component={Link} to="/sign-in" underline="always">
      Back to the sign-in
    </Anchor>
  );
}

function OwnReturn({ search }: { readonly search: string }) {
  const enter = useEnter(keptWantedPath());
  const attempt = useMutation({ mutationFn: () => finishSso(search.slice(1)), onSuccess: enter });
  const hasBegun = useRef(false);
  const begin = useEffectEvent(() => {
    // in development, React runs effects twice
    if (hasBegun.current) return;
    hasBegun.current = true;
    attempt.mutate();
  });
  useEffect(() => begin(), []);
  return (
    <Entrance title={ENTRANCE_TITLES['/sign-in/sso']} footer={<BackLink />} isForAll>
      {attempt.error ? <ErrorNotice title="You are not signed in" error={attempt.error} /> : <Pending />}
    </Entrance>
  );
}
