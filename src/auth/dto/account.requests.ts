import { EmailField, FlagField, NameField, Trimmed, CanonicalEmail } from '../../http/request-fields.js';
import { type ProjectRoleRequest, ProjectRolesField } from './project-roles.js';

export class InviteUserRequest {
  @CanonicalEmail()
  @EmailField()
  email: string;

  @Trimmed()
  @NameField({ max: 200, optional: true, nullable: true, example: 'Ada Lovelace' })
  name?: string | null;

  @ProjectRolesField({ description: 'Shared projects that the person joins.' })
  projects?: ProjectRoleRequest[];
}

export class UpdateUserRequest {
  @FlagField({
    optional: 'not null',
    description:
      'False: locks the account, ends its sessions and refuses its API keys. Its agents keep running.',
    example: false,
  })
  is_active?: boolean;

  @FlagField({ optional: 'not null', example: true })
  is_admin?: boolean;

  @FlagField({
    optional: 'not null',
    description: "Only with `is_active: false`: also stops the account's agents.",
    example: true,
  })
  stop_agents?: boolean;
}
