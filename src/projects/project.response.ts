import { ApiProperty } from '@nestjs/swagger';
import { type Role, ROLES } from '../access/roles.js';
import type { Project, ProjectDetail } from './project.types.js';
import { TWO_APPROVERS_FOR, type TwoApproversFor } from './two-approvers.js';

const EXAMPLE_ID = '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11';

export class ProjectResponse {
  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  id: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'Same as `id`.',
    example: EXAMPLE_ID,
  })
  project_id: string;

  @ApiProperty({ example: 'Invoices' })
  name: string;

  @ApiProperty({
    description: "Created with the account, and has the same id. It can't be renamed, deleted or shared.",
    example: false,
  })
  is_personal: boolean;

  @ApiProperty({
    enum: TWO_APPROVERS_FOR,
    enumName: 'TwoApproversFor',
    nullable: true,
    description:
      'Actions of this risk need the approval of two people other than the requester of the run. Null: one is ' +
      'always enough.',
    example: null,
  })
  two_approvers_for: TwoApproversFor | null;

  @ApiProperty({
    enum: ROLES,
    enumName: 'Role',
    nullable: true,
    description: "The caller's role. Null: the caller is an operator, but not a member.",
    example: 'owner',
  })
  role: Role | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  updated_at: string;
}

export class GroupRoleResponse {
  @ApiProperty({ description: "The identity provider's name of the group.", example: 'platform-team' })
  group: string;

  @ApiProperty({ enum: ROLES, enumName: 'Role', example: 'deployer' })
  role: Role;
}

export class ProjectDetailResponse extends ProjectResponse {
  @ApiProperty({
    type: [GroupRoleResponse],
    description: "Names of the identity provider's groups that give a role in the project.",
  })
  groups: GroupRoleResponse[];
}

export function toProjectDetailResponse(project: ProjectDetail): ProjectDetailResponse {
  const groups = project.groups.map(({ groupName: group, role }) => ({ group, role }));
  return { ...toProjectResponse(project), groups };
}

export function toProjectResponse(project: Project): ProjectResponse {
  return {
    id: project.id,
    project_id: project.id,
    name: project.name,
    is_personal: project.isPersonal,
    two_approvers_for: project.twoApproversFor,
    role: project.role,
    created_at: project.createdAt,
    updated_at: project.updatedAt,
  };
}
