import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { type Role, ROLES } from '../../access/roles.js';
import { isRecord } from '../../http/json-record.js';
import { AnyJson } from '../../http/request-fields.js';
import { isUuid } from '../../http/uuid-param.js';
import type { RoleInProject } from '../../projects/project.types.js';

const MAXIMUM_ENTRIES = 100;

/** A project that an invited person becomes a member of. */
export class ProjectRoleRequest {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11' })
  project_id: string;

  @ApiProperty({ enum: ROLES, enumName: 'Role', example: 'deployer' })
  role: Role;
}

/** Accepts a list of at most 100 projects, each once, with a role in each. */
export const ProjectRolesField = (documented: { readonly description: string }) =>
  applyDecorators(
    ApiProperty({ type: [ProjectRoleRequest], required: false, maxItems: MAXIMUM_ENTRIES, ...documented }),
    AnyJson(),
    ValidateIf((_, value) => value !== undefined),
    ValidateBy({
      name: 'roleList',
      validator: {
        validate: isListOfRoles,
        defaultMessage: (rule) =>
          `${rule?.property} must be a list of at most ${MAXIMUM_ENTRIES} objects with project_id, the id of a project and each once, and role, one of ${ROLES.join(', ')}`,
      },
    }),
  );

function isListOfRoles(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > MAXIMUM_ENTRIES || !value.every(isRoleInProject)) return false;
  return new Set(value.map(({ project_id: id }) => id)).size === value.length;
}

function isRoleInProject(value: unknown): value is ProjectRoleRequest {
  return (
    isRecord(value) &&
    Object.keys(value).sort().join() === 'project_id,role' &&
    isUuid(value.project_id) &&
    (ROLES as readonly unknown[]).includes(value.role)
  );
}

export function rolesInProjects(given: readonly ProjectRoleRequest[] = []): RoleInProject[] {
  return given.map(({ project_id: projectId, role }) => ({ projectId, role }));
}
