import { ApiProperty } from '@nestjs/swagger';
import { type Role, ROLES } from '../../access/roles.js';
import { RoleListField } from '../../http/role-list-field.js';
import { isUuid } from '../../http/uuid-param.js';
import type { RoleInProject } from '../../projects/project.types.js';

/** A project that an invited person becomes a member of. */
export class ProjectRoleRequest {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11' })
  project_id: string;

  @ApiProperty({ enum: ROLES, enumName: 'Role', example: 'deployer' })
  role: Role;
}

/** Accepts a list of at most 100 projects, each once, with a role in each. */
export const ProjectRolesField = (documented: { readonly description: string }) =>
  RoleListField(
    ProjectRoleRequest,
    { name: 'project_id', isName: (value) => isUuid(value), asked: 'the id of a project' },
    documented,
  );

export function rolesInProjects(given: readonly ProjectRoleRequest[] = []): RoleInProject[] {
  return given.map(({ project_id: projectId, role }) => ({ projectId, role }));
}
