import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../api/request.js';
import { EmptyState, type EmptyStateProps } from './empty-state.js';
import { ErrorNotice } from './error-notice.js';
import { PageHeader, type PageHeaderProps } from './page-header.js';
import { Pending } from './pending.js';

export interface ResourcePageProps<Data> {
  /** Name of the resource, capitalised: `Deployment`. */
  readonly noun: string;
  readonly back: NonNullable<PageHeaderProps['back']>;
  readonly query: {
    readonly data: Data | undefined;
    readonly error: Error | null;
    refetch(): Promise<unknown>;
  };
  readonly missingIcon: EmptyStateProps['icon'];
  /** Possible reason why the resource does not exist. */
  readonly missingReason: string;
  readonly children: (data: Data) => ReactNode;
}

/** Page of one resource: loading, failed, missing, or loaded. */
export function ResourcePage<Data>(props: ResourcePageProps<Data>) {
  const { noun, back, query, missingIcon, missingReason, children } = props;
  const { data, error } = query;
  const isMissing = error instanceof ApiError && error.isMissing;
  // loaded data stays while the service is unavailable, but not when the resource was removed
  if (data && !isMissing) return children(data);
  return (
    <>
      <PageHeader title={isMissing ? `${noun} not found` : noun} back={back} />
      {isMissing ? (
        <EmptyState
          icon={missingIcon}
          title={`There is no such ${noun.toLowerCase()}`}
          action={
            <Button component={Link} to={back.to} variant="default">
              Go to your {noun.toLowerCase()}s
            </Button>
          }
        >
          {missingReason}
        </EmptyState>
      ) : error ? (
        <ErrorNotice error={error} onRetry={() => void query.refetch()} />
      ) : (
        <Pending />
      )}
    </>
  );
}
