import type { Webhook } from '@agent-control-plane/client';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import classes from './webhooks.module.css';

export interface WebhookHealthProps {
  readonly webhook: Webhook;
  /** True: everything on one line. */
  readonly isInline?: boolean;
}

/** Outcome of the last attempts. */
export function WebhookHealth({ webhook, isInline = false }: WebhookHealthProps) {
  const { state, last_status_code: status, failing_since: since } = webhook.health;
  if (state === 'unknown') return <StatusBadge status="unknown" label="nothing sent yet" />;
  if (state === 'ok') return <StatusBadge status="succeeded" label={`ok (${status})`} />;
  return (
    <>
      <StatusBadge status="failing" label={status === null ? 'no answer' : `failing (${status})`} />
      <span className={isInline ? undefined : classes.description}>
        {isInline && ' '}since <TimeAgo at={since} />
      </span>
    </>
  );
}
