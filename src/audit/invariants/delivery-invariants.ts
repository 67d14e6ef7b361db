import type { Invariant } from '../invariant.types.js';

/** SQL condition for a webhook that accepts messages: it is active, and so is its account. */
const LISTENS = `webhook.is_active AND webhook.deleted_at IS NULL AND users.is_active`;

/** SQL condition for a webhook without an attempt under way: during one, the rest of its queue waits for a slot. */
const NOTHING_UNDER_WAY = `NOT EXISTS (SELECT FROM webhook_deliveries AS other
  WHERE other.webhook_id = webhook.id AND other.is_leased AND other.next_attempt_at > now())`;

const forgotten = (condition: string) => `SELECT delivery.id FROM webhook_deliveries AS delivery
  JOIN webhooks AS webhook ON webhook.id = delivery.webhook_id JOIN users ON users.id = webhook.user_id
  CROSS JOIN bounds
  WHERE delivery.next_attempt_at < now() - make_interval(secs => margin_seconds)
    AND running_seconds > margin_seconds AND ${condition}`;

/** Messages to webhooks are delivered at least once: each is delivered, failed, or due. */
export const DELIVERY_INVARIANTS: readonly Invariant[] = [
  {
    name: 'deliveries-in-one-state',
    sentence:
      'A delivery has a next attempt while it is pending, and neither that nor a lease once it is settled.',
    statement: `SELECT id FROM webhook_deliveries
      WHERE (next_attempt_at IS NOT NULL) <> (status = 'pending') OR (is_leased AND status <> 'pending')
        OR (status = 'succeeded' AND (delivered_at IS NULL OR attempts = 0)) OR failures > attempts
        OR (is_leased AND attempts = 0)`,
  },
  {
    name: 'deliveries-attempted',
    sentence:
      'No message to a webhook that listens is due for long while nothing is being sent to that webhook.',
    statement: forgotten(`NOT delivery.is_leased AND ${LISTENS} AND ${NOTHING_UNDER_WAY}`),
  },
  {
    name: 'deliveries-released',
    sentence:
      'No attempt holds a message for long after its lease has ended while nothing else is being sent.',
    statement: forgotten(`delivery.is_leased AND ${NOTHING_UNDER_WAY}`),
  },
  {
    name: 'deliveries-cancelled',
    sentence: 'Nothing waits for long for a webhook that does not listen any more.',
    statement: forgotten(`NOT delivery.is_leased AND webhook.deleted_at IS NULL AND NOT (${LISTENS})`),
  },
];
