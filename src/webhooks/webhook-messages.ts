import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { DocumentedWebhooks } from '../http/openapi/operation.js';
import { openEnumOf } from '../http/openapi/property-schemas.js';
import {
  APPROVAL_KINDS,
  BUDGET_KINDS,
  DEPLOYMENT_KINDS,
  type EventKind,
  RUN_KINDS,
  TEST_KIND,
} from './event-catalogue.js';
import {
  AgentEventData,
  AgentMovedData,
  AgentPausedData,
  AgentStatusChangedData,
  ApprovalEventData,
  BudgetEventData,
  DeploymentEventData,
  QuotaEventData,
  RunEventData,
  WebhookTestData,
} from './event-payloads.js';

type AgentMessageKind = 'agent.created' | 'agent.registered' | 'agent.deleted';
const STATUS_CHANGED = 'agent.status_changed';
const MOVED = 'agent.moved';
const PAUSED = 'agent.paused';
const RESUMED = 'agent.resumed';
const QUOTA_EXCEEDED = 'quota.exceeded';

class WebhookMessage {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the event happened, not when it was sent.',
  })
  timestamp: string;
}

export class AgentMessage extends WebhookMessage {
  @ApiProperty({
    ...openEnumOf('WebhookEventKind'),
    description:
      'One of `agent.*`, except `agent.status_changed`, `agent.moved`, `agent.paused` and `agent.resumed`.',
    example: 'agent.created',
  })
  type: AgentMessageKind;

  @ApiProperty()
  data: AgentEventData;
}

export class AgentStatusChangedMessage extends WebhookMessage {
  @ApiProperty({ enum: [STATUS_CHANGED] })
  type: typeof STATUS_CHANGED;

  @ApiProperty()
  data: AgentStatusChangedData;
}

export class AgentMovedMessage extends WebhookMessage {
  @ApiProperty({ enum: [MOVED] })
  type: typeof MOVED;

  @ApiProperty()
  data: AgentMovedData;
}

export class AgentPausedMessage extends WebhookMessage {
  @ApiProperty({
    ...openEnumOf('WebhookEventKind'),
    description: '`agent.paused` or `agent.resumed`.',
    example: PAUSED,
  })
  type: typeof PAUSED | typeof RESUMED;

  @ApiProperty()
  data: AgentPausedData;
}

export class DeploymentMessage extends WebhookMessage {
  @ApiProperty({
    ...openEnumOf('WebhookEventKind'),
    description: 'One of `deployment.*`.',
    example: 'deployment.ready',
  })
  type: (typeof DEPLOYMENT_KINDS)[number];

  @ApiProperty()
  data: DeploymentEventData;
}

export class RunMessage extends WebhookMessage {
  @ApiProperty({
    ...openEnumOf('WebhookEventKind'),
    description: 'One of `run.*`.',
    example: 'run.succeeded',
  })
  type: (typeof RUN_KINDS)[number];

  @ApiProperty()
  data: RunEventData;
}

export class BudgetMessage extends WebhookMessage {
  @ApiProperty({
    ...openEnumOf('WebhookEventKind'),
    description: 'One of `budget.*`.',
    example: 'budget.exceeded',
  })
  type: (typeof BUDGET_KINDS)[number];

  @ApiProperty()
  data: BudgetEventData;
}

export class QuotaMessage extends WebhookMessage {
  @ApiProperty({ enum: [QUOTA_EXCEEDED] })
  type: typeof QUOTA_EXCEEDED;

  @ApiProperty()
  data: QuotaEventData;
}

export class ApprovalMessage extends WebhookMessage {
  @ApiProperty({
    ...openEnumOf('WebhookEventKind'),
    description: 'One of `approval.*`.',
    example: 'approval.requested',
  })
  type: (typeof APPROVAL_KINDS)[number];

  @ApiProperty()
  data: ApprovalEventData;
}

export class WebhookTestMessage extends WebhookMessage {
  @ApiProperty({ enum: [TEST_KIND] })
  type: typeof TEST_KIND;

  @ApiProperty()
  data: WebhookTestData;
}

/** The classes of all messages, for `ApiExtraModels`. */
export const WEBHOOK_MESSAGES = [
  AgentMessage,
  AgentStatusChangedMessage,
  AgentMovedMessage,
  AgentPausedMessage,
  DeploymentMessage,
  RunMessage,
  BudgetMessage,
  QuotaMessage,
  ApprovalMessage,
  WebhookTestMessage,
];

/** The headers of the Standard Webhooks specification: https://www.standardwebhooks.com */
const HEADERS = {
  MessageId: header('webhook-id', 'The same in every attempt of the message.', {
    example: '0192f0c5-4f10-7a92-8c3d-2b7e9f0a1d44',
  }),
  MessageTime: header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', {
    pattern: '^\\d+$',
    example: '1769851800',
  }),
  MessageSignature: header(
    'webhook-signature',
    'Signatures, separated by spaces; the message is genuine if any of them matches. Each is `v1,` and the base64 ' +
      'of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the secret.',
    { example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' },
  ),
};

/** Answers that a receiver may give to any message. */
const ANSWERS = {
  MessageTaken: {
    description:
      'Accepted. The first 2 KiB of the body are stored for you to read. After any other response except 410, the ' +
      'message is sent again.',
  },
  MessageUnwanted: { description: 'No longer wanted. The webhook is switched off.' },
};

/** An entry of the `webhooks` section for each kind, under its name; kinds with the same data refer to one message. */
export const WEBHOOKS_SECTION: DocumentedWebhooks = {
  webhooks: Object.fromEntries([
    kind('agent.created', AgentMessage, 'An agent was created'),
    kind('agent.registered', AgentMessage, 'A runtime has registered'),
    kind(STATUS_CHANGED, AgentStatusChangedMessage),
    kind(MOVED, AgentMovedMessage),
    kind(PAUSED, AgentPausedMessage, 'An agent was paused'),
    kind(RESUMED, AgentPausedMessage, 'The last pause of an agent has ended'),
    kind('agent.deleted', AgentMessage, 'An agent is being deleted'),
    ...DEPLOYMENT_KINDS.map((name) => kind(name, DeploymentMessage)),
    ...RUN_KINDS.map((name) => kind(name, RunMessage)),
    ...BUDGET_KINDS.map((name) => kind(name, BudgetMessage)),
    kind(QUOTA_EXCEEDED, QuotaMessage, 'An agent or a project has used up a daily quota'),
    ...APPROVAL_KINDS.map((name) => kind(name, ApprovalMessage)),
    kind(TEST_KIND, WebhookTestMessage),
  ]),
  components: {
    parameters: HEADERS,
    responses: ANSWERS,
    pathItems: {
      AgentMessage: message(AgentMessage, 'A message about an agent'),
      AgentStatusChangedMessage: message(AgentStatusChangedMessage, 'The status of an agent has changed'),
      AgentMovedMessage: message(AgentMovedMessage, 'An agent was moved to the project'),
      AgentPausedMessage: message(AgentPausedMessage, 'An agent was paused or resumed'),
      DeploymentMessage: message(DeploymentMessage, 'A deployment has changed as named by the event'),
      RunMessage: message(RunMessage, 'A run has changed as named by the event'),
      BudgetMessage: message(BudgetMessage, 'A budget is nearly used up, or used up'),
      QuotaMessage: message(QuotaMessage, 'A daily limit is reached; sent once a day'),
      ApprovalMessage: message(ApprovalMessage, 'An agent requests an approval, or the approval is settled'),
      WebhookTestMessage: message(WebhookTestMessage, 'A test message was requested'),
    },
  },
};

function header(name: string, description: string, schema: object) {
  return { name, in: 'header' as const, required: true, description, schema: { type: 'string', ...schema } };
}

type Message = (typeof WEBHOOK_MESSAGES)[number];

function kind(name: EventKind, { name: component }: Message, summary?: string) {
  return [name, { $ref: `#/components/pathItems/${component}`, summary }] as const;
}

function message(body: Message, summary: string) {
  return {
    post: {
      operationId: `receive${body.name}`,
      summary,
      tags: ['Webhooks'],
      security: [],
      parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: getSchemaPath(body) } } },
      },
      responses: {
        '2XX': { $ref: '#/components/responses/MessageTaken' },
        410: { $ref: '#/components/responses/MessageUnwanted' },
      },
    },
  };
}
