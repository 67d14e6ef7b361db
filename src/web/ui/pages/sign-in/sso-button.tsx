import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { beginSso } from '../../api/login-methods.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { keepWantedPath } from './wanted-path.js';

/** Sends this tab to the identity provider. @param wanted path of the page to open afterwards */
export function SsoButton({ wanted }: { readonly wanted: string }) {
  const attempt = useMutation({
    mutationFn: beginSso,
    onSuccess: (url) => {
      keepWantedPath(wanted);
      location.assign(url);
    },
  });
  return (
    <Stack>
      {attempt.error && <ErrorNotice title="You are not signed in" error={attempt.error} />}
      <Button
        variant="default"
        // until the provider's page is loaded
        loading={attempt.isPending || attempt.isSuccess}
        onClick={() => attempt.mutate()}
      >
        Sign in with single sign-on
      </Button>
    </Stack>
  );
}
