import { Button } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { Link } from 'react-router';
import { EmptyState } from '../components/empty-state.js';
import { PageHeader } from '../components/page-header.js';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={IconMapQuestion}
        title="There is nothing at this address"
        action={
          <Button component={Link} to="/agents" variant="default">
            Go to your agents
          </Button>
        }
      >
        The page may have been removed, or the address mistyped.
      </EmptyState>
    </>
  );
}
