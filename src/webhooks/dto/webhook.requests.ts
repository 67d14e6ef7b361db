import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  MaxLength,
  Validate,
  ValidateIf,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { Transform } from 'class-transformer';
import { Distinct } from '../../http/distinct.js';
import { IsoTimestamp } from '../../http/iso-timestamp.js';
import { HistoryPageQuery } from '../../http/page-query.js';
import { Moment } from '../../http/time-range.js';
import { DEFAULT_EVENTS, EVENT_KINDS, EVENT_PATTERNS, type EventKind } from '../event-catalogue.js';
import { isSigningSecret } from '../signing-secret.js';
import { WEBHOOK_FORMATS, type WebhookFormat } from '../webhook.types.js';

const MAXIMUM_URL = 2_048;
const MAXIMUM_DESCRIPTION = 2_000;

@ValidatorConstraint({ name: 'isSigningSecret' })
class IsSigningSecret implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return typeof value === 'string' && isSigningSecret(value);
  }

  defaultMessage(): string {
    return 'secret must be "whsec_" and the base64 of 24 to 64 bytes';
  }
}

/** Unlike `IsOptional`, does not let null through. */
const IfGiven = () => ValidateIf((_, value) => value !== undefined);

const urlSchema = {
  format: 'uri',
  maxLength: MAXIMUM_URL,
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
  description:
    'Where messages are posted: http or https, without credentials, and public unless the service allows private ones.',
  example: 'https://example.com/hooks/agents',
};
const eventsSchema = {
  isArray: true,
  enum: EVENT_PATTERNS,
  enumName: 'WebhookEventPattern',
  minItems: 1,
  uniqueItems: true,
  description: 'Kinds of events, families of them (`deployment.*`, `agent.*`), or `*` for all.',
  example: ['deployment.failed', 'agent.*'],
};
const formatSchema = {
  enum: WEBHOOK_FORMATS,
  required: false,
  description:
    '`standard`: the messages under "webhooks" in this document; `slack`: `{"text"}` in the markup of Slack; ' +
    '`text`: plain text. The signature covers each of them.',
};
const descriptionSchema = {
  type: String,
  nullable: true,
  maxLength: MAXIMUM_DESCRIPTION,
  example: 'On-call channel',
};
const secretSchema = {
  pattern: '^whsec_[A-Za-z0-9+/]+=*$',
  minLength: 38,
  maxLength: 94,
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};

export class CreateWebhookRequest {
  @ApiProperty(urlSchema)
  @IsString()
  @MaxLength(MAXIMUM_URL)
  url: string;

  @ApiProperty({ ...eventsSchema, required: false, default: DEFAULT_EVENTS })
  @IfGiven()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(EVENT_PATTERNS.length)
  @Distinct()
  @IsIn(EVENT_PATTERNS, { each: true })
  events?: string[];

  @ApiProperty({ ...formatSchema, default: 'standard' })
  @IfGiven()
  @IsIn(WEBHOOK_FORMATS)
  format?: WebhookFormat;

  @ApiProperty({
    ...secretSchema,
    required: false,
    nullable: true,
    type: String,
    description: 'Signs the messages: `whsec_` and the base64 of 24 to 64 bytes. Absent: one is made.',
  })
  @IsOptional()
  @Validate(IsSigningSecret)
  secret?: string | null;

  @ApiProperty({ ...descriptionSchema, required: false })
  @IsOptional()
  @IsString()
  @MaxLength(MAXIMUM_DESCRIPTION)
  description?: string | null;

  @ApiProperty({ required: false, default: true, description: 'Whether it is sent anything.' })
  @IfGiven()
  @IsBoolean()
  is_active?: boolean;
}

/** What is absent stays as it is; null clears. */
export class UpdateWebhookRequest {
  @ApiProperty({ ...urlSchema, required: false })
  @IfGiven()
  @IsString()
  @MaxLength(MAXIMUM_URL)
  url?: string;

  @ApiProperty({ ...eventsSchema, required: false })
  @IfGiven()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(EVENT_PATTERNS.length)
  @Distinct()
  @IsIn(EVENT_PATTERNS, { each: true })
  events?: string[];

  @ApiProperty(formatSchema)
  @IfGiven()
  @IsIn(WEBHOOK_FORMATS)
  format?: WebhookFormat;

  @ApiProperty({
    ...secretSchema,
    required: false,
    description: 'Replaces the secret; the old one still signs beside it for 24 hours.',
  })
  @IfGiven()
  @Validate(IsSigningSecret)
  secret?: string;

  @ApiProperty({ ...descriptionSchema, required: false })
  @IsOptional()
  @IsString()
  @MaxLength(MAXIMUM_DESCRIPTION)
  description?: string | null;

  @ApiProperty({
    required: false,
    description: '`true` switches it on again, whoever switched it off; `false` cancels what waits for it.',
  })
  @IfGiven()
  @IsBoolean()
  is_active?: boolean;
}

export class RotateWebhookSecretRequest {
  @ApiProperty({
    ...secretSchema,
    required: false,
    nullable: true,
    type: String,
    description: 'The new secret. Absent: one is made.',
  })
  @IsOptional()
  @Validate(IsSigningSecret)
  secret?: string | null;
}

export class RecoverWebhookRequest {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description:
      'Failed deliveries of events from this time on are sent again. ISO 8601; without a zone it is UTC.',
    example: '2026-01-31T09:30:00.000Z',
  })
  @IsoTimestamp()
  since: Date;
}

export class ListDeliveriesQuery extends HistoryPageQuery {
  @ApiProperty({ required: false, enum: EVENT_KINDS, enumName: 'WebhookEventKind' })
  @IsOptional()
  @IsIn(EVENT_KINDS)
  event?: EventKind;

  @ApiProperty({ required: false, description: '`true`: those that succeeded; `false`: all others.' })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  success?: boolean;

  @Moment('Only those that were created at this time or later.')
  since?: Date;

  @Moment('Only those that were created before this time.')
  until?: Date;
}
