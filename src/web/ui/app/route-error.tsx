import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useRouteError } from 'react-router';
import { EmptyState } from '../components/empty-state.js';
import { PageHeader } from '../components/page-header.js';
import { isLoadFailure } from './load-failure.js';

/** Shown for a page that could not be loaded (the dashboard was updated, or can't be reached), or that failed. */
export function RouteError() {
  const error = useRouteError();
  const isNotLoaded = isLoadFailure(error);
  return (
    <>
      <PageHeader title="Couldn’t load this page" />
      <EmptyState
        icon={IconAlertTriangle}
        title={isNotLoaded ? 'The page could not be loaded' : 'Something on this page went wrong'}
        action={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        {isNotLoaded
          ? 'The dashboard may have been updated since you opened it, or its server is away.'
          : error instanceof Error
            ? error.message
            : 'Reloading usually helps.'}
      </EmptyState>
    </>
  );
}
