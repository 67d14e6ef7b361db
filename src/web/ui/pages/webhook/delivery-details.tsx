import { Drawer, Group, Stack } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Webhook, WebhookDelivery } from '@agent-control-plane/client';
import { useRedeliver } from '../../api/webhooks.js';
import { showDone } from '../../components/announce.js';
import { CopyButton } from '../../components/copy-button.js';
import { EntityId } from '../../components/entity-id.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { useRefusals } from '../../components/required-role.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { useLast } from '../../components/use-last.js';
import { prettyJson } from './pretty-json.js';
import classes from './webhook.module.css';

interface DetailsProps {
  readonly webhook: Webhook;
  /** The selected delivery; null: the drawer is closed. */
  readonly delivery: WebhookDelivery | null;
  readonly onClose: () => void;
}

/** One delivery: its message, and the endpoint's answer. */
export function DeliveryDetails({ webhook, delivery, onClose }: DetailsProps) {
  const shown = useLast(delivery);
  return (
    <Drawer opened={delivery !== null} onClose={onClose} position="right" size="lg" title={shown?.event}>
      {shown && <Details key={shown.id} webhook={webhook} delivery={shown} />}
    </Drawer>
  );
}

function Details({
  webhook,
  delivery,
}: Omit<DetailsProps, 'onClose'> & { readonly delivery: WebhookDelivery }) {
  const redeliver = useRedeliver(webhook.id, delivery.id);
  const refusal = useRefusals()(webhook.project_id, 'webhooks');
  return (
    <Stack>
      <Group justify="space-between">
        <span role="status">
          <StatusBadge status={delivery.status} />
        </span>
        <GuardedButton
          size="xs"
          refusal={refusal}
          variant="default"
          leftSection={<IconRefresh size={15} aria-hidden />}
          loading={redeliver.isPending}
          onClick={() => redeliver.mutate(undefined, { onSuccess: () => showDone('Message sent again') })}
        >
          Send again
        </GuardedButton>
      </Group>
      {redeliver.error && <ErrorNotice error={redeliver.error} title="It was not sent again" />}
      <dl className={classes.facts}>
        <Fact term="Created">
          <TimeAgo at={delivery.created_at} />
        </Fact>
        <Fact term="Accepted">
          <TimeAgo at={delivery.delivered_at} absent={delivery.status === 'failed' ? 'no' : 'not yet'} />
        </Fact>
        <Fact term="Attempts">{delivery.attempts}</Fact>
        <Fact term="Next attempt">
          <TimeAgo at={delivery.next_attempt_at} absent="none" />
        </Fact>
        <Fact term="Response">{delivery.status_code ?? 'no response'}</Fact>
        <Fact term="Message id">
          <EntityId id={delivery.id} what="message id" />
        </Fact>
      </dl>
      {delivery.error_message && <p className={classes.error}>{delivery.error_message}</p>}
      <Body title="Request" text={delivery.payload} />
      {delivery.response_body !== null && delivery.response_body !== '' ? (
        <Body title="Response" text={delivery.response_body} />
      ) : (
        <section>
          <h3 className={classes.bodyTitle}>Response</h3>
          <p className={classes.value}>Without a body.</p>
        </section>
      )}
    </Stack>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className={classes.term}>{term}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}

function Body({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <section>
      <div className={classes.bodyHead}>
        <h3 className={classes.bodyTitle}>{title}</h3>
        <CopyButton value={text} what={title.toLowerCase()} />
      </div>
      {/* focusable, so that it can be scrolled by keyboard */}
      <pre className={classes.body} tabIndex={0} role="region" aria-label={title}>
        {prettyJson(text)}
      </pre>
    </section>
  );
}
