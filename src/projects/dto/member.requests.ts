import { type Role, ROLES } from '../../access/roles.js';
import { ChoiceField, EmailField, CanonicalEmail } from '../../http/request-fields.js';

const RoleField = () =>
  ChoiceField(ROLES, {
    enumName: 'Role',
    description:
      '`viewer` reads; `deployer` also deploys, stops and reports; `maintainer` also changes agents, webhooks and ' +
      'keys; `owner` also changes the project and its members.',
    example: 'deployer',
  });

export class AddMemberRequest {
  @CanonicalEmail()
  @EmailField({ description: 'Email address of an account.' })
  email: string;

  @RoleField()
  role: Role;
}

export class UpdateMemberRequest {
  @RoleField()
  role: Role;
}
