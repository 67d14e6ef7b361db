import type { Webhook } from '@agent-control-plane/client';

export interface WebhookState {
  readonly status: 'active' | 'inactive' | 'failed';
  readonly label: string;
}

/** State of a webhook: switched off by its owner, or by the service. */
export function webhookState({ is_active, disabled_reason }: Webhook): WebhookState {
  if (is_active) return { status: 'active', label: 'active' };
  return disabled_reason === null
    ? { status: 'inactive', label: 'off' }
    : { status: 'failed', label: 'switched off' };
}
