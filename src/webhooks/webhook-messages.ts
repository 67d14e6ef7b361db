import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DEPLOYMENT_KINDS, type EventKind, TEST_KIND } from './event-catalogue.js';
import {
  AgentEventData,
  AgentStatusChangedData,
  DeploymentEventData,
  WebhookTestData,
} from './event-payloads.js';

const AGENT_MESSAGE_KINDS = ['agent.created', 'agent.registered', 'agent.deleted'] as const;
const STATUS_CHANGED = 'agent.status_changed';

class WebhookMessage {
  @ApiProperty({ format: 'date-time', description: 'When it happened, not when it was sent.' })
  timestamp: string;
}

export class AgentMessage extends WebhookMessage {
  @ApiProperty({ enum: AGENT_MESSAGE_KINDS })
  type: (typeof AGENT_MESSAGE_KINDS)[number];

  @ApiProperty()
  data: AgentEventData;
}

export class AgentStatusChangedMessage extends WebhookMessage {
  @ApiProperty({ enum: [STATUS_CHANGED] })
  type: typeof STATUS_CHANGED;

  @ApiProperty()
  data: AgentStatusChangedData;
}

export class DeploymentMessage extends WebhookMessage {
  @ApiProperty({ enum: DEPLOYMENT_KINDS })
  type: (typeof DEPLOYMENT_KINDS)[number];

  @ApiProperty()
  data: DeploymentEventData;
}

export class WebhookTestMessage extends WebhookMessage {
  @ApiProperty({ enum: [TEST_KIND] })
  type: typeof TEST_KIND;

  @ApiProperty()
  data: WebhookTestData;
}

/** All that is ever sent, for `ApiExtraModels`. */
export const WEBHOOK_MESSAGES = [
  AgentMessage,
  AgentStatusChangedMessage,
  DeploymentMessage,
  WebhookTestMessage,
];

/** The headers of the Standard Webhooks specification: https://www.standardwebhooks.com */
const HEADERS = [
  header('webhook-id', "The message's own: the same in every attempt.", {
    example: '0192f0c5-4f10-7a92-8c3d-2b7e9f0a1d44',
  }),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', {
    pattern: '^\\d+$',
    example: '1769851800',
  }),
  header(
    'webhook-signature',
    'One signature or several ones, separated by spaces; the message is genuine when any of them is right. Each is ' +
      '`v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` under the secret.',
    { example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' },
  ),
];

/** The `webhooks` section of the OpenAPI document: an entry for each kind, under its name. */
export const WEBHOOKS_SECTION: NonNullable<OpenAPIObject['webhooks']> = Object.fromEntries([
  kind('agent.created', AgentMessage, 'An agent has been recorded'),
  kind('agent.registered', AgentMessage, 'A runtime says that it has started'),
  kind(STATUS_CHANGED, AgentStatusChangedMessage, 'The status of an agent has changed'),
  kind('agent.deleted', AgentMessage, 'An agent is being removed'),
  ...DEPLOYMENT_KINDS.map((name) =>
    kind(name, DeploymentMessage, `A deployment has taken the step \`${name.replace('deployment.', '')}\``),
  ),
  kind(TEST_KIND, WebhookTestMessage, 'Somebody has asked for a test message'),
]);

function header(name: string, description: string, schema: object) {
  return { name, in: 'header' as const, required: true, description, schema: { type: 'string', ...schema } };
}

function kind(name: EventKind, message: (typeof WEBHOOK_MESSAGES)[number], summary: string) {
  const post = {
    // deployment.heartbeat_lost -> receiveDeploymentHeartbeatLost
    operationId: `receive${name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    tags: ['Webhooks'],
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: getSchemaPath(message) } } },
    },
    responses: {
      '2XX': { description: 'Taken. The first 2 KiB of the body are kept for you to read.' },
      410: { description: 'Not wanted any more: the webhook is switched off.' },
      default: { description: 'Not taken: the message comes again.' },
    },
  };
  return [name, { post }] as const;
}
