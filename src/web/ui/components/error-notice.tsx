import { Button, Code, List, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react';
import { ApiError } from '../api/request.js';
import { Notice } from './notice.js';

export interface ErrorNoticeProps {
  readonly error: Error;
  /** Name of the failed action. */
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** The service's message, and a button to try again. */
export function ErrorNotice({ error, title, onRetry }: ErrorNoticeProps) {
  // a read failed, which is repeated automatically
  if (title === undefined && error instanceof ApiError && error.isAway) {
    return (
      <Notice role="alert" tone="warn" icon={IconPlugConnectedX} title="Not available right now">
        <Text size="sm">It loads as soon as the service responds.</Text>
      </Notice>
    );
  }
  const problems = error instanceof ApiError ? error.problems : [error.message];
  // a 5xx is a fault of the service: the id finds it in the service's log
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined;
  return (
    <Notice role="alert" tone="bad" icon={IconAlertTriangle} title={title ?? 'Something went wrong'}>
      <Problems problems={problems} />
      {requestId && (
        <Text size="xs" c="dimmed">
          Request <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry && (
        <div>
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </Notice>
  );
}

function Problems({ problems }: { readonly problems: readonly string[] }) {
  if (problems.length === 1) return <Text size="sm">{problems[0]}</Text>;
  return (
    <List size="sm">
      {problems.map((problem) => (
        <List.Item key={problem}>{problem}</List.Item>
      ))}
    </List>
  );
}
