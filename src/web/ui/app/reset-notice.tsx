import { Anchor, Button, Text } from '@mantine/core';
import { IconLockOpen } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Notice } from '../components/notice.js';
import { TimeAgo } from '../components/time-ago.js';

/**
 * Tells people that an operator has made a link to set their password: a person with the link can take the account.
 */
export function ResetNotice({ at }: { readonly at: string }) {
  const [closedFor, setClosedFor] = useState<string>();
  if (closedFor === at) return null;
  return (
    <Notice
      role="status"
      tone="warn"
      icon={IconLockOpen}
      title="An operator created a link that resets your password"
    >
      <Text size="sm">
        That was <TimeAgo at={at} />, and your sessions ended then. If you did not ask for it,{' '}
        <Anchor component={Link} to="/account" underline="always" inherit>
          change your password
        </Anchor>
        , look at the{' '}
        <Anchor component={Link} to="/audit" underline="always" inherit>
          audit log
        </Anchor>
        , and tell your operators.
      </Text>
      <div>
        <Button size="xs" variant="default" onClick={() => setClosedFor(at)}>
          Close
        </Button>
      </div>
    </Notice>
  );
}
