import { CanonicalEmail } from '../../http/canonical-email.js';
import { EmailField, FlagField, NameField, Trimmed } from '../../http/request-fields.js';
import { type ProjectRoleRequest, ProjectRolesField } from './project-roles.js';

export class InviteUserRequest {
  @CanonicalEmail()
  @EmailField()
  email: string;

  @Trimmed()
  @NameField({ max: 200, optional: true, nullable: true, example: 'Ada Lovelace' })
  name?: string | null;

  @ProjectRolesField({ description: 'Shared projects of which the person becomes a member.' })
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
