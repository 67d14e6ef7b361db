import { CanonicalEmail } from '../../http/canonical-email.js';
import { ApiProperty } from '@nestjs/swagger';
import { type Role, ROLES } from '../../access/roles.js';
import type { RoleInProject } from '../../projects/project.types.js';
import { RoleListField } from '../../http/role-list-field.js';
import { isUuid } from '../../http/uuid-param.js';
import { EmailField, FlagField, NameField, Trimmed } from '../../http/request-fields.js';

/** A project that an invited person becomes a member of. */
export class ProjectRoleRequest {
  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11' })
  project_id: string;

  @ApiProperty({ enum: ROLES, enumName: 'Role', example: 'deployer' })
  role: Role;
}

export class InviteUserRequest {
  @CanonicalEmail()
  @EmailField()
  email: string;

  @Trimmed()
  @NameField({ max: 200, optional: true, nullable: true, example: 'Ada Lovelace' })
  name?: string | null;

  @RoleListField(
    ProjectRoleRequest,
    { name: 'project_id', isName: isUuid, asked: 'the id of a project' },
    { description: 'Shared projects of which the person becomes a member.' },
  )
  projects?: ProjectRoleRequest[];
}

export class UpdateUserRequest {
  @FlagField({
    optional: 'not null',
    description:
      'False locks the account out, ends its sessions for good, and refuses its user API keys. Its agents keep running.',
    example: false,
  })
  is_active?: boolean;

  @FlagField({ optional: 'not null', example: true })
  is_admin?: boolean;

  @FlagField({
    optional: 'not null',
    description: "Only with `is_active: false`: stops the account's agents, too.",
    example: true,
  })
  stop_agents?: boolean;
}

export function rolesInProjects(given: readonly ProjectRoleRequest[] = []): RoleInProject[] {
  return given.map(({ project_id: projectId, role }) => ({ projectId, role }));
}
