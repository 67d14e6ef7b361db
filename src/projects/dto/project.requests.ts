import { ApiProperty } from '@nestjs/swagger';
import { length } from 'class-validator';
import { type Role, ROLES } from '../../access/roles.js';
import { ResourcePageQuery } from '../../http/page-query.js';
import { ChoiceField, FlagParameter, NameField, TextField, Trimmed } from '../../http/request-fields.js';
import { RoleListField } from '../../http/role-list-field.js';
import { storable } from '../../http/storable-text.js';
import type { ProjectChange } from '../project.types.js';
import { TWO_APPROVERS_FOR, type TwoApproversFor } from '../two-approvers.js';

const NAME = { min: 1, max: 100, example: 'Invoices' };

export class ListProjectsQuery extends ResourcePageQuery {
  @TextField({ max: 100, optional: true, description: 'Text in the name; case-insensitive.' })
  q?: string;

  @FlagParameter({
    optional: true,
    default: false,
    description: 'All projects of all users; for operators only.',
  })
  all?: boolean;
}

export class CreateProjectRequest {
  @Trimmed()
  @NameField({ ...NAME, description: 'Need not be unique.' })
  name: string;
}

const MAXIMUM_GROUP = 200;

/** A group of the identity provider, and the role that it gives. */
export class GroupRoleRequest {
  @ApiProperty({
    minLength: 1,
    maxLength: MAXIMUM_GROUP,
    description: "The identity provider's name of the group; case-sensitive.",
    example: 'platform-team',
  })
  group: string;

  @ApiProperty({ enum: ROLES, enumName: 'Role', example: 'deployer' })
  role: Role;
}

const isGroup = (value: unknown) =>
  typeof value === 'string' && length(value, 1, MAXIMUM_GROUP) && storable(value) === value;

/** Absent properties keep their values. */
export class UpdateProjectRequest {
  @Trimmed()
  @NameField({ ...NAME, optional: 'not null' })
  name?: string;

  @ChoiceField(TWO_APPROVERS_FOR, {
    enumName: 'TwoApproversFor',
    optional: true,
    nullable: true,
    description: 'Actions of this risk need the approval of two people. Null: one is always enough.',
  })
  two_approvers_for?: TwoApproversFor | null;

  @RoleListField(
    GroupRoleRequest,
    { name: 'group', isName: isGroup, asked: `text of 1 to ${MAXIMUM_GROUP} characters` },
    {
      description:
        'Replaces all groups. A member of several groups has the highest of their roles. Requires ' +
        '`OIDC_GROUPS_CLAIM`.',
    },
  )
  groups?: GroupRoleRequest[];
}

export function changeOf({
  name,
  groups,
  two_approvers_for: twoApproversFor,
}: UpdateProjectRequest): ProjectChange {
  return {
    name,
    twoApproversFor,
    groups: groups?.map(({ group: groupName, role }) => ({ groupName, role })),
  };
}
