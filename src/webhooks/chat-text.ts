import { shortId } from '../lifecycle/agent-health.js';
import type { AnyEventData } from './event-catalogue.js';

/** Characters of an error message: a chat shows the whole message to everybody in the channel. */
const MAXIMUM_REASON = 500;

/** A message for people: one line on the event, the reason if there is one, and a link to the agent's page. */
export function plainText(kind: string, data: AnyEventData, agentUrl: string | null): string {
  return [...linesOf(kind, data, (text) => text), ...(agentUrl === null ? [] : [agentUrl])].join('\n');
}

/**
 * The same in the markup of Slack. Names and reasons come from agents, so the characters that begin a link or a mention
 * are escaped: https://docs.slack.dev/messaging/formatting-message-text
 */
export function slackText(kind: string, data: AnyEventData, agentUrl: string | null): string {
  const link = agentUrl === null ? [] : [`<${agentUrl}|Open the agent>`];
  return [...linesOf(kind, data, escaped), ...link].join('\n');
}

function linesOf(kind: string, data: AnyEventData, escape: (text: string) => string): string[] {
  if ('message' in data) return [data.message];
  if ('agent' in data) {
    const previous = 'previous_status' in data ? ` (was ${data.previous_status})` : '';
    const step =
      kind === 'agent.status_changed' ? `is ${data.agent.status}${previous}` : `was ${stepOf(kind)}`;
    return [`Agent ${escape(data.agent.name)} ${step}`];
  }
  const { deployment, event } = data;
  const previous =
    event.previous_status === null || event.previous_status === event.status
      ? ''
      : ` (was ${event.previous_status})`;
  const state = `deployment ${shortId(deployment)} is ${event.status}${previous}`;
  const ready = `${deployment.ready_replicas} of ${deployment.replicas} replicas ready`;
  return [
    `${escape(deployment.agent_name)}: ${stepOf(kind)}; ${state}, ${ready}`,
    ...(event.error_message === null ? [] : [escape(shortened(event.error_message))]),
  ];
}

/** `deployment.heartbeat_lost` -> `heartbeat lost` */
function stepOf(kind: string): string {
  return kind.slice(kind.indexOf('.') + 1).replaceAll('_', ' ');
}

function shortened(reason: string): string {
  return reason.length <= MAXIMUM_REASON ? reason : `${reason.slice(0, MAXIMUM_REASON)}…`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
