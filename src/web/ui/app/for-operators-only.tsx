import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link } from 'react-router';
import { EmptyState } from '../components/empty-state.js';
import { PageHeader } from '../components/page-header.js';

export function ForOperatorsOnly() {
  return (
    <>
      <PageHeader title="For operators only" />
      <EmptyState
        icon={IconLock}
        title="Your account is not an operator"
        action={
          <Button component={Link} to="/agents" variant="default">
            Go to your agents
          </Button>
        }
      >
        An operator of this service can give you that role.
      </EmptyState>
    </>
  );
}
