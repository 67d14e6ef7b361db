import type { Webhook } from '@agent-control-plane/client';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import classes from './webhooks.module.css';

/** What the last attempts came to. */
export function WebhookHealth({ webhook }: { readonly webhook: Webhook }) {
  const { state, last_status_code: status, failing_since: since } = webhook.health;
  if (state === 'unknown') return <StatusBadge status="unknown" label="nothing sent yet" />;
  if (state === 'ok') return <StatusBadge status="succeeded" label={`ok (${status})`} />;
  return (
    <>
      <StatusBadge status="failing" label={status === null ? 'no answer' : `failing (${status})`} />
      <span className={classes.description}>
        since <TimeAgo at={since} />
      </span>
    </>
  );
}
