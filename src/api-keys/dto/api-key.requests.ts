import { type Role, ROLES } from '../../access/roles.js';
import { ALL_SCOPES, type Scope, SCOPES } from '../../access/scopes.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import { ChoicesField } from '../../http/list-fields.js';
import { ProjectParameter } from '../../http/project-fields.js';
import {
  ChoiceField,
  FlagField,
  IdField,
  NameField,
  Trimmed,
  WholeNumberField,
} from '../../http/request-fields.js';
import type { ApiKeyRequest } from '../api-key.types.js';
import { API_KEY_KINDS, type ApiKeyKind } from '../api-key-format.js';

export class ListApiKeysQuery extends ResourcePageQuery {
  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true })
  agent_id?: string;

  @ChoiceField(API_KEY_KINDS, { enumName: 'ApiKeyKind', optional: true })
  kind?: ApiKeyKind;
}

export class CreateApiKeyRequest {
  @Trimmed()
  @NameField({
    min: 1,
    max: 200,
    description: 'Purpose of the key; need not be unique.',
    example: 'nightly-report',
  })
  name: string;

  @IdField({
    optional: true,
    nullable: true,
    description: 'Creates a key for the runtime of this agent. Absent: a key of the user.',
    example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  agent_id?: string | null;

  @IdField({
    optional: true,
    description:
      'Creates a key of this project, in which the caller is a maintainer. It works only there, and stays valid ' +
      'when its creator leaves. Absent: a key of the user, for all their projects.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  project_id?: string;

  @ChoiceField(ROLES, {
    optional: true,
    enumName: 'Role',
    description: "The role of a project's key, at most that of its creator. Default: `deployer`.",
    example: 'deployer',
  })
  role?: Role;

  @ChoicesField(SCOPES, {
    enumName: 'Scope',
    default: [ALL_SCOPES],
    description:
      "What a user's key may do: a GET needs `read`, any other route its `x-scope`; `*` means everything. Not " +
      "allowed for an agent's key.",
    example: ['read', 'deploy'],
  })
  scopes?: Scope[];

  @FlagField({
    optional: 'not null',
    default: false,
    description:
      "For operators: the key also reaches what belongs to others, within its scopes. Without it, an operator's key " +
      "works like any user's.",
    example: false,
  })
  everybody?: boolean;

  @WholeNumberField({
    min: 1,
    max: 365,
    optional: true,
    nullable: true,
    description: 'Lifetime in days; absent: until it is revoked.',
    example: 90,
  })
  expires_in_days?: number | null;
}

export function toApiKeyRequest(body: CreateApiKeyRequest): ApiKeyRequest {
  return {
    name: body.name,
    agentId: body.agent_id,
    projectId: body.project_id,
    role: body.role,
    scopes: body.scopes,
    everybody: body.everybody,
    expiresInDays: body.expires_in_days,
  };
}

/** The body of `POST /api-keys/{key_id}/rotate`; none is needed. */
export class RotateApiKeyRequest {
  @WholeNumberField({
    min: 0,
    max: 86_400,
    optional: true,
    default: 0,
    description: 'Grace period in seconds, in which the old key still works.',
    example: 3_600,
  })
  grace_period_seconds?: number;
}
