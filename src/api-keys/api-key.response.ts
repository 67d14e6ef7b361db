import { ApiProperty } from '@nestjs/swagger';
import { type Role, ROLES } from '../access/roles.js';
import { type Scope, SCOPES } from '../access/scopes.js';
import type { ApiKey, IssuedApiKey } from './api-key.types.js';

export class ApiKeyResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c6-4d8e-7a31-9c02-5e7f1b3d9a64' })
  id: string;

  @ApiProperty({ example: 'nightly-report' })
  name: string;

  @ApiProperty({
    description: 'The first characters of the key, to identify it.',
    example: 'svc_user_AZLwxk2O',
  })
  key_prefix: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: "The project that owns the key or its agent; for a person's own key, the personal project.",
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  project_id: string;

  @ApiProperty({
    enum: ROLES,
    enumName: 'Role',
    nullable: true,
    description: "The role of a project's key, which works only in that project; null for any other key.",
    example: null,
  })
  role: Role | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The agent of a runtime key. Null: a key of the user or of the project.',
    example: null,
  })
  agent_id: string | null;

  @ApiProperty({
    enum: SCOPES,
    enumName: 'Scope',
    isArray: true,
    example: ['*'],
  })
  scopes: readonly Scope[];

  @ApiProperty({
    description: 'Whether the key also reaches what belongs to others, while its user is an operator.',
    example: false,
  })
  everybody: boolean;

  @ApiProperty({ description: 'Neither revoked nor expired.', example: true })
  is_active: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Accurate to the minute; null: never.',
    example: '2026-01-31T09:30:00.000Z',
  })
  last_used_at: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the key expires, or when the grace period of its rotation ends; null: never.',
    example: '2026-04-30T09:30:00.000Z',
  })
  expires_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-30T09:30:00.000Z' })
  created_at: string;
}

export class CreatedApiKeyResponse extends ApiKeyResponse {
  @ApiProperty({
    description: 'The key itself, which is shown only once.',
    example: 'svc_user_AZLwxk2OejGcAl5_Gz2aZA...',
  })
  key: string;
}

export function toApiKeyResponse(record: ApiKey): ApiKeyResponse {
  return {
    id: record.id,
    name: record.name,
    key_prefix: record.keyPrefix,
    project_id: record.projectId,
    role: record.role,
    agent_id: record.agentId,
    scopes: record.scopes,
    everybody: record.everybody,
    is_active: record.isActive,
    last_used_at: record.lastUsedAt,
    expires_at: record.expiresAt,
    created_at: record.createdAt,
  };
}

export function toCreatedApiKeyResponse({ record, key }: IssuedApiKey): CreatedApiKeyResponse {
  return { ...toApiKeyResponse(record), key };
}
