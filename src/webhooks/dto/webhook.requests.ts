import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, ValidateIf } from 'class-validator';
import { HistoryPageQuery, ResourcePageQuery } from '../../http/page-query.js';
import { ChoicesField } from '../../http/list-fields.js';
import { ProjectField, ProjectParameter } from '../../http/project-fields.js';
import { ChoiceField, FlagField, FlagParameter, Rule, Taken, TextField } from '../../http/request-fields.js';
import { Moment, TimestampField } from '../../http/time-range.js';
import { DEFAULT_EVENTS, EVENT_KINDS, EVENT_PATTERNS, type EventKind } from '../event-catalogue.js';
import { isSigningSecret } from '../signing-secret.js';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../webhook.entity.js';

const MAXIMUM_URL = 2_048;
const MAXIMUM_DESCRIPTION = 2_000;

const SigningSecret = () =>
  applyDecorators(
    Taken(),
    Rule(
      'isSigningSecret',
      (value) => typeof value === 'string' && isSigningSecret(value),
      () => 'secret must be "whsec_" and the base64 of 24 to 64 bytes',
    ),
  );

const URL_FIELD = {
  max: MAXIMUM_URL,
  format: 'uri',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
  description:
    'Receives the messages: http or https, without credentials; a public address, unless the service allows ' +
    'private ones.',
  example: 'https://example.com/hooks/agents',
};

const EventsField = (documented: { readonly default?: readonly string[] } = {}) =>
  ChoicesField(EVENT_PATTERNS, {
    enumName: 'WebhookEventPattern',
    description: 'Event types, families of them (`deployment.*`, `agent.*`), or `*` for all.',
    example: ['deployment.failed', 'agent.*'],
    ...documented,
  });

const FormatField = (documented: { readonly default?: WebhookFormat } = {}) =>
  ChoiceField(WEBHOOK_FORMATS, {
    enumName: 'WebhookFormat',
    optional: 'not null',
    description:
      '`standard`: the messages under "webhooks" in this document; `slack`: `{"text"}` in Slack\'s markup; `text`: ' +
      'plain text. All are signed.',
    ...documented,
  });

const PayloadsField = (documented: { readonly default?: boolean } = {}) =>
  FlagField({
    optional: 'not null',
    description:
      'Whether `standard` messages about runs include their `input` and `output`, each up to 256 KiB. Applies to ' +
      'messages of later events.',
    ...documented,
  });

const DescriptionField = () =>
  TextField({ max: MAXIMUM_DESCRIPTION, optional: true, nullable: true, example: 'On-call channel' });

const secretSchema = {
  required: false,
  pattern: '^whsec_[A-Za-z0-9+/]+=*$',
  minLength: 38,
  maxLength: 94,
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};

/** A secret that is generated if it is absent or null. */
const NewSecretField = (description: string) =>
  applyDecorators(
    SigningSecret(),
    IsOptional(),
    ApiProperty({ ...secretSchema, nullable: true, type: String, description }),
  );

export class ListWebhooksQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;
}

/** The query of `GET /webhooks/{webhook_id}`. */
export class RevealAddressQuery {
  @FlagParameter({
    optional: true,
    default: false,
    description:
      'Shows the whole address to operators who are no members of the project. Recorded in the audit log.',
  })
  reveal: boolean = false;
}

export class CreateWebhookRequest {
  @ProjectField()
  project_id?: string;

  @TextField(URL_FIELD)
  url: string;

  @EventsField({ default: DEFAULT_EVENTS })
  events?: string[];

  @FormatField({ default: 'standard' })
  format?: WebhookFormat;

  @PayloadsField({ default: false })
  include_payloads?: boolean;

  @NewSecretField('Signs the messages: `whsec_` and the base64 of 24 to 64 bytes. Default: generated.')
  secret?: string | null;

  @DescriptionField()
  description?: string | null;

  @FlagField({ optional: 'not null', default: true, description: 'Whether messages are sent to it.' })
  is_active?: boolean;
}

/** Absent properties keep their values; null clears them. */
export class UpdateWebhookRequest {
  @TextField({ ...URL_FIELD, optional: 'not null' })
  url?: string;

  @EventsField()
  events?: string[];

  @FormatField()
  format?: WebhookFormat;

  @PayloadsField()
  include_payloads?: boolean;

  @ApiProperty({
    ...secretSchema,
    description: 'Replaces the secret; for 24 hours, the old one also signs.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @SigningSecret()
  secret?: string;

  @DescriptionField()
  description?: string | null;

  @FlagField({
    optional: 'not null',
    description:
      '`true` switches it on, whoever switched it off; `false` switches it off and cancels its waiting messages.',
  })
  is_active?: boolean;
}

export class RotateWebhookSecretRequest {
  @NewSecretField('The new secret. Default: generated.')
  secret?: string | null;
}

export class RecoverWebhookRequest {
  @TimestampField({
    description: 'Redelivers failed messages of events from this time on. Without a time zone: UTC.',
  })
  since: Date;
}

export class ListDeliveriesQuery extends HistoryPageQuery {
  @ChoiceField(EVENT_KINDS, { optional: true, enumName: 'WebhookEventKind' })
  event?: EventKind;

  @FlagParameter({ optional: true, description: '`true`: only successful deliveries; `false`: all others.' })
  success?: boolean;

  @Moment('Only those created at or after this time.')
  since?: Date;

  @Moment('Only those created before this time.')
  until?: Date;
}
