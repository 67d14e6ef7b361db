import { IconAlertTriangle, IconPlayerStop, IconWebhookOff } from '@tabler/icons-react';
import { useParams } from 'react-router';
import type { Webhook } from '@agent-control-plane/client';
import { useTestWebhook, useUpdateWebhook, useWebhook } from '../../api/webhooks.js';
import { showDone, showFailure } from '../../components/announce.js';
import { EntityId } from '../../components/entity-id.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { PageHeader } from '../../components/page-header.js';
import { ProjectFact } from '../../components/project-name.js';
import { useRefusals } from '../../components/required-role.js';
import { ResourcePage } from '../../components/resource-page.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { PatternList } from '../webhooks/pattern-list.js';
import { WebhookHealth } from '../webhooks/webhook-health.js';
import { webhookState } from '../webhooks/webhook-state.js';
import { Deliveries } from './deliveries.js';
import { HiddenAddress } from './hidden-address.js';
import { TestOutcome } from './test-outcome.js';
import { WebhookActions } from './webhook-actions.js';
import classes from './webhook.module.css';

const BACK = { to: '/webhooks', label: 'Webhooks' };

export function WebhookPage() {
  const { id = '' } = useParams();
  return (
    <ResourcePage
      noun="Webhook"
      back={BACK}
      query={useWebhook(id)}
      missingIcon={IconWebhookOff}
      missingReason="It may have been deleted."
    >
      {(webhook) => <Loaded key={id} webhook={webhook} />}
    </ResourcePage>
  );
}

function Loaded({ webhook }: { readonly webhook: Webhook }) {
  const test = useTestWebhook(webhook.id);
  return (
    <>
      <PageHeader
        title={webhook.url}
        back={BACK}
        badge={
          <span role="status">
            <StatusBadge {...webhookState(webhook)} />
          </span>
        }
        actions={<WebhookActions webhook={webhook} test={test} />}
      >
        {webhook.description && <span>{webhook.description}</span>}
        <span>
          Health: <WebhookHealth webhook={webhook} isInline />
        </span>
        <ProjectFact id={webhook.project_id} />
        <span>Format: {webhook.format}</span>
        {webhook.include_payloads && <span>With input and output of runs</span>}
        <EntityId id={webhook.id} what="webhook id" />
        <span>
          Created <TimeAgo at={webhook.created_at} />
        </span>
      </PageHeader>
      <HiddenAddress webhook={webhook} />
      {!webhook.is_active && <SwitchedOff webhook={webhook} />}
      <TestOutcome test={test} />
      <section className={classes.section}>
        <h2 className={classes.heading}>Events</h2>
        <PatternList patterns={webhook.events} />
      </section>
      <Deliveries webhook={webhook} />
    </>
  );
}

/** Reason why the webhook is switched off, and a button to switch it on. */
function SwitchedOff({ webhook }: { readonly webhook: Webhook }) {
  const update = useUpdateWebhook(webhook.id);
  const refusal = useRefusals()(webhook.project_id, 'webhooks');
  const isGivenUp = webhook.disabled_reason !== null;
  const Sign = isGivenUp ? IconAlertTriangle : IconPlayerStop;
  return (
    <div className={classes.notice} data-tone={isGivenUp ? 'bad' : 'quiet'} role="status">
      <Sign size={18} aria-hidden />
      <div className={classes.noticeText}>
        <h2 className={classes.noticeTitle}>
          {isGivenUp ? 'The service has switched it off' : 'It is switched off'}
        </h2>
        <p>
          {isGivenUp && <>{webhook.disabled_reason}. </>}
          Nothing is sent to it, and queued messages have failed.
        </p>
      </div>
      <GuardedButton
        variant="default"
        size="xs"
        refusal={refusal}
        loading={update.isPending}
        onClick={() =>
          update.mutate(
            { is_active: true },
            {
              onSuccess: () => showDone('The webhook is switched on'),
              onError: (error) => showFailure('It was not switched on', error),
            },
          )
        }
      >
        Switch on
      </GuardedButton>
    </div>
  );
}
