import type { Webhook } from '@agent-control-plane/client';

export interface WebhookState {
  readonly status: 'active' | 'inactive' | 'failed';
  readonly label: string;
}

/** Off by its owner's will is one thing, given up by the service another. */
export function webhookState({ is_active, disabled_reason }: Webhook): WebhookState {
  if (is_active) return { status: 'active', label: 'active' };
  return disabled_reason === null
    ? { status: 'inactive', label: 'off' }
    : { status: 'failed', label: 'switched off' };
}
