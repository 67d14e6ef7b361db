import { Anchor, Button, Stack, Text } from '@mantine/core';
import { Navigate } from 'react-router';
import { useFactors } from '../../api/factors.js';
import { useSession } from '../../api/session.js';
import { signOutHere } from '../../app/sign-out.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { Entrance, ENTRANCE_TITLES } from '../sign-in/entrance.js';
import { AddFactor } from './add-factor.js';
import { pathHere } from '../../components/page-meta.js';

/** Page of an operator who can do nothing else before they have a second factor. */
export function EnrolPage() {
  const { data: user } = useSession();
  if (user === null) return <Navigate to="/sign-in" replace />;
  const footer = (
    <Anchor component="button" type="button" underline="always" onClick={() => void signOutHere()}>
      Sign out
    </Anchor>
  );
  return (
    <Entrance title={ENTRANCE_TITLES['/enrol']} footer={footer} isForAll>
      <Stack>
        <Text size="sm">
          Operators of this service need a second factor. Add an authenticator app or a passkey to continue.
        </Text>
        <Enrolment />
      </Stack>
    </Entrance>
  );
}

function Enrolment() {
  const { data, error, refetch } = useFactors();
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Pending rows={2} />;
  return (
    <>
      <AddFactor factors={data} />
      {data.factors.length > 0 && (
        // a page load: refused data is read again
        <Button component="a" href={pathHere('/')}>
          Continue to the dashboard
        </Button>
      )}
    </>
  );
}
