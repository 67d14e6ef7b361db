import { plainText, slackText } from './chat-text.js';
import type { AnyEventData, EventData, EventKind } from './event-catalogue.js';
import type { WebhookFormat } from './webhook.entity.js';

/** A message in each format: the text of its body. */
export type WebhookPayloads = Readonly<Record<WebhookFormat, string>>;

/** A message for the webhooks of a project. */
export interface MessageForProject {
  readonly projectId: string;
  readonly payloads: WebhookPayloads;
  /** The `standard` body for webhooks with large payloads; null: there is none. */
  readonly complete: string | null;
}

export const CONTENT_TYPES: Readonly<Record<WebhookFormat, string>> = {
  standard: 'application/json',
  slack: 'application/json',
  text: 'text/plain; charset=utf-8',
};

/**
 * The bodies of a message. `standard` is one of the Standard Webhooks specification: the event, its time and its data.
 *
 * @param dashboardUrl without a slash at its end; empty: the message has no link
 */
export function payloadsOf<Kind extends EventKind>(
  kind: Kind,
  data: EventData<Kind>,
  dashboardUrl: string,
  at: Date,
): WebhookPayloads {
  const event = data as AnyEventData;
  const page = pageOf(event);
  const url = page === null || dashboardUrl === '' ? null : `${dashboardUrl}/${page.of}s/${page.id}`;
  const linked = page === null ? event : { ...event, [`${page.of}_url`]: url };
  return {
    standard: JSON.stringify({ type: kind, timestamp: at.toISOString(), data: linked }),
    slack: JSON.stringify({ text: slackText(kind, event, url) }),
    text: plainText(kind, event, url),
  };
}

/** The page of the dashboard that an event is about; null: it has none. */
function pageOf(data: AnyEventData): { readonly of: 'agent' | 'approval'; readonly id: string } | null {
  if ('approval' in data) return { of: 'approval', id: data.approval.id };
  if ('deployment' in data) return { of: 'agent', id: data.deployment.agent_id };
  if ('run' in data) return { of: 'agent', id: data.run.agent_id };
  return 'agent' in data ? { of: 'agent', id: data.agent.id } : null;
}
