import { ApiProperty } from '@nestjs/swagger';
import { openEnumOf } from '../http/openapi/property-schemas.js';
import { WEBHOOK_FORMATS, type WebhookFormat } from './webhook.entity.js';
import type { Webhook, WebhookWithSecret } from './webhook.types.js';

const HEALTH_STATES = ['ok', 'failing', 'unknown'] as const;

/** The health of an endpoint, from its last attempts. Tests don't count. */
export class WebhookHealth {
  @ApiProperty({
    enum: HEALTH_STATES,
    enumName: 'WebhookHealthState',
    description:
      '`ok`: the last attempt succeeded; `failing`: it failed; `unknown`: there was none since the address was set ' +
      'or the webhook was switched on.',
  })
  state: (typeof HEALTH_STATES)[number];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The response to the last attempt. Null: there was none.',
    example: 200,
  })
  last_status_code: number | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when every attempt has failed.',
  })
  failing_since: string | null;
}

const EXAMPLE_ID = '0192f0c4-0b6e-7d3a-9b1f-6a0d5be1c7e2';

export class WebhookResponse {
  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'Who created it.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  user_id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'The project that owns it.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  project_id: string;

  @ApiProperty({
    format: 'uri',
    description:
      'A path can be a secret: operators who are no members of the project see `https://example.com/***`, unless ' +
      '`reveal=true` is set.',
    example: 'https://example.com/hooks/agents',
  })
  url: string;

  @ApiProperty({
    type: 'array',
    items: openEnumOf('WebhookEventPattern'),
    description: 'Event types, families of them, or `*`. More types may be added.',
    example: ['deployment.failed', 'agent.*'],
  })
  events: string[];

  @ApiProperty({ enum: WEBHOOK_FORMATS, enumName: 'WebhookFormat' })
  format: WebhookFormat;

  @ApiProperty({
    description: 'Whether `standard` messages about runs include their `input` and `output`.',
    example: false,
  })
  include_payloads: boolean;

  @ApiProperty({ type: String, nullable: true, example: 'On-call channel' })
  description: string | null;

  @ApiProperty({ description: 'Whether messages are sent to it.', example: true })
  is_active: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the service switched it off: the endpoint answered 410, or has failed for five days.',
    example: null,
  })
  disabled_reason: string | null;

  @ApiProperty()
  health: WebhookHealth;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  updated_at: string;
}

export class WebhookWithSecretResponse extends WebhookResponse {
  @ApiProperty({
    description: 'Signs the messages; receivers verify them with it. It is shown only once.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  })
  secret: string;
}

export function toWebhookResponse(webhook: Webhook): WebhookResponse {
  return {
    id: webhook.id,
    user_id: webhook.createdBy ?? webhook.projectId,
    project_id: webhook.projectId,
    url: webhook.url,
    events: [...webhook.events],
    format: webhook.format,
    include_payloads: webhook.includePayloads,
    description: webhook.description,
    is_active: webhook.isActive,
    disabled_reason: webhook.disabledReason,
    health: healthOf(webhook),
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

export function toWebhookWithSecretResponse({
  webhook,
  secret,
}: WebhookWithSecret): WebhookWithSecretResponse {
  return { ...toWebhookResponse(webhook), secret };
}

function healthOf({ failingSince, lastStatusCode }: Webhook): WebhookHealth {
  const state = failingSince !== null ? 'failing' : lastStatusCode !== null ? 'ok' : 'unknown';
  return { state, last_status_code: lastStatusCode, failing_since: failingSince };
}
