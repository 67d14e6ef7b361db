import { CloseButton } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { useTestWebhook } from '../../api/webhooks.js';
import { ErrorNotice } from '../../components/error-notice.js';
import classes from './webhook.module.css';

/** Result of the test message. */
export function TestOutcome({ test }: { readonly test: ReturnType<typeof useTestWebhook> }) {
  if (test.error) return <ErrorNotice error={test.error} title="The test was not sent" />;
  const result = test.data;
  return (
    <div role="status">
      {result && (
        <div className={classes.notice} data-tone={result.isDelivered ? 'good' : 'bad'}>
          {result.isDelivered ? (
            <IconCircleCheck size={18} aria-hidden />
          ) : (
            <IconAlertTriangle size={18} aria-hidden />
          )}
          <div className={classes.noticeText}>
            <h2 className={classes.noticeTitle}>
              {result.isDelivered ? 'The test message was accepted' : 'The test message was not accepted'}
            </h2>
            <p>{result.message}</p>
          </div>
          <CloseButton aria-label="Close the test’s result" onClick={() => test.reset()} />
        </div>
      )}
    </div>
  );
}
