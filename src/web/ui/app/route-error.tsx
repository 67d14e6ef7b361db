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
      <PageHeader title="This page can’t be shown" />
      <EmptyState
        icon={IconAlertTriangle}
        title={isNotLoaded ? 'The page could not be loaded' : 'Something in this page went wrong'}
        action={<Button onClick={() => location.reload()}>Load it again</Button>}
      >
        {isNotLoaded
          ? 'The dashboard may have been updated since you opened it, or its server is away.'
          : error instanceof Error
            ? error.message
            : 'Loading it again usually helps.'}
      </EmptyState>
    </>
  );
}
