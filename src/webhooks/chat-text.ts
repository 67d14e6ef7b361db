import { shortId } from '../lifecycle/agent-health.js';
import type { RunEventType } from '../lifecycle/run-lifecycle.js';
import type { AnyEventData, EventData } from './event-catalogue.js';

/** Characters of an agent's name and of its reason: a chat shows the whole message to everybody in the channel. */
const MAXIMUM_NAME = 100;
const MAXIMUM_REASON = 500;
const MAXIMUM_TITLE = 200;
/** Characters that end a line, move the cursor or are seen as a gap. */
const GAPS = /[\p{Cc}\p{Z}]+/gu;
/** Characters that are not seen: marks that turn the direction of text, and half characters. */
const UNSEEN = /[\p{Cf}\p{Cs}]/gu;
/** A character of no width: the parted text looks the same, and is neither a mention nor an address. */
const BREAK = '\u200b';

/** A message for people: one line on the event, the reason if there is one, and a link to the page of the agent or the approval. */
export function plainText(kind: string, data: AnyEventData, url: string | null): string {
  return [...linesOf(kind, data, plain), ...(url === null ? [] : [url])].join('\n');
}

/**
 * The same in the markup of Slack, Mattermost, Rocket.Chat and Discord's address for Slack. Names and reasons come from agents,
 * so they are code, in which none of them makes links, mentions or markup. The characters of Slack's own markup are escaped there,
 * too: https://docs.slack.dev/messaging/formatting-message-text
 */
export function slackText(kind: string, data: AnyEventData, url: string | null): string {
  const link = url === null ? [] : [`<${url}|Open the ${'approval' in data ? 'approval' : 'agent'}>`];
  return [...linesOf(kind, data, slackCode), ...link].join('\n');
}

function linesOf(
  kind: string,
  data: AnyEventData,
  shown: (text: string, maximum: number) => string,
): string[] {
  if ('message' in data) return [data.message];
  if ('agent' in data) {
    const previous = 'previous_status' in data ? ` (was ${data.previous_status})` : '';
    const step =
      kind === 'agent.status_changed'
        ? `is ${data.agent.status}${previous}`
        : `was ${kind === 'agent.moved' ? 'moved to this project' : stepOf(kind)}`;
    const reason = 'pause' in data && kind === 'agent.paused' ? data.pause.reason : null;
    return [
      `Agent ${shown(data.agent.name, MAXIMUM_NAME)} ${step}`,
      ...(reason === null ? [] : [shown(reason, MAXIMUM_REASON)]),
    ];
  }
  if ('run' in data) return linesOfRun(kind, data, shown);
  if ('budget' in data) return [lineOfBudget(kind, data.budget, shown)];
  if ('quota' in data) return [lineOfQuota(data.quota, shown)];
  if ('approval' in data) return [lineOfApproval(kind, data.approval, shown)];
  const { deployment, event } = data;
  const previous =
    event.previous_status === null || event.previous_status === event.status
      ? ''
      : ` (was ${event.previous_status})`;
  const state = `deployment ${shortId(deployment)} is ${event.status}${previous}`;
  const ready = `${deployment.ready_replicas} of ${deployment.replicas} replicas ready`;
  return [
    `${shown(deployment.agent_name, MAXIMUM_NAME)}: ${stepOf(kind)}; ${state}, ${ready}`,
    ...(event.error_message === null ? [] : [shown(event.error_message, MAXIMUM_REASON)]),
  ];
}

function linesOfRun(
  kind: string,
  { run, event }: EventData<`run.${RunEventType}`>,
  shown: (text: string, maximum: number) => string,
): string[] {
  const name = run.name === null ? `run ${shortId(run)}` : `run ${shown(run.name, MAXIMUM_NAME)}`;
  return [
    `${shown(run.agent_name, MAXIMUM_NAME)}: ${name} ${stepOf(kind)}`,
    ...(event.message === null ? [] : [shown(event.message, MAXIMUM_REASON)]),
  ];
}

function lineOfBudget(
  kind: string,
  { name, period, limit, spent }: EventData<'budget.exceeded'>['budget'],
  shown: (text: string, maximum: number) => string,
): string {
  const [[measure, most] = []] = Object.entries(limit);
  const [[, used] = []] = Object.entries(spent);
  const [step, of] = [
    kind === 'budget.exceeded' ? 'is spent' : 'is nearly used up',
    `${used} of ${most} ${measure}`,
  ];
  return `Budget ${shown(name, MAXIMUM_NAME)} ${step}: ${of} per ${period}`;
}

function lineOfQuota(
  { agent_name: agentName, agent_id: agentId, kind, limit }: EventData<'quota.exceeded'>['quota'],
  shown: (text: string, maximum: number) => string,
): string {
  const who = agentId === null ? 'The project' : `Agent ${shown(agentName ?? agentId, MAXIMUM_NAME)}`;
  return (
    `${who} has used up its quota of ${stepOf(`quota.${kind}`)} for today, ${limit}: more is refused until ` +
    'midnight UTC'
  );
}

/** The title is the agent's, and no argument is quoted: a chat is read by more people than may decide. */
function lineOfApproval(
  kind: string,
  { agent_name: agentName, title, risk, state }: EventData<'approval.decided'>['approval'],
  shown: (text: string, maximum: number) => string,
): string {
  const step = kind === 'approval.requested' ? 'asks for an approval' : `approval ${state}`;
  return `${shown(agentName, MAXIMUM_NAME)}: ${step}: ${shown(title, MAXIMUM_TITLE)} (risk: ${risk})`;
}

/** `deployment.heartbeat_lost` -> `heartbeat lost` */
function stepOf(kind: string): string {
  return kind.slice(kind.indexOf('.') + 1).replaceAll('_', ' ');
}

/** Text of an agent as it may stand in a line of any chat: it adds no line, mention or link, and is not longer than `maximum`. */
function plain(text: string, maximum: number): string {
  const line = text.replaceAll(GAPS, ' ').replaceAll(UNSEEN, '').trim();
  const characters = [...line.slice(0, 2 * maximum + 1)];
  const shown = characters.length <= maximum ? line : `${characters.slice(0, maximum).join('')}…`;
  return shown.replaceAll(/@|:(?=\/\/)|www(?=\.)/gi, (found) => found + BREAK);
}

function slackCode(text: string, maximum: number): string {
  const code = plain(text, maximum).replaceAll('`', "'");
  return `\`${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\``;
}
