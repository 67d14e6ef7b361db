import { ApiProperty } from '@nestjs/swagger';
import { type Role, ROLES } from '../access/roles.js';
import { MEMBERSHIP_SOURCES, type MembershipSource } from './project-member.entity.js';
import type { Member } from './project.types.js';

export class ProjectMemberResponse {
  @ApiProperty({ type: String, format: 'uuid', example: '01920f0c-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  user_id: string;

  @ApiProperty({ format: 'email', example: 'ada@example.com' })
  email: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  name: string | null;

  @ApiProperty({ enum: ROLES, enumName: 'Role', example: 'deployer' })
  role: Role;

  @ApiProperty({
    enum: MEMBERSHIP_SOURCES,
    enumName: 'MembershipSource',
    description:
      '`direct`: added by somebody; `group`: by a group of the identity provider. If both apply, the one with the ' +
      'higher role is shown.',
    example: 'direct',
  })
  source: MembershipSource;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description:
      'The account that added the member, or the project of the key that did. Null: the identity provider.',
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  })
  added_by: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;
}

export function toProjectMemberResponse(member: Member): ProjectMemberResponse {
  return {
    user_id: member.userId,
    email: member.email,
    name: member.name,
    role: member.role,
    source: member.source,
    added_by: member.addedBy,
    created_at: member.createdAt,
  };
}
