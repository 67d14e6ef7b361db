import { type Role, ROLES } from '../../access/roles.js';
import { CanonicalEmail } from '../../http/canonical-email.js';
import { ChoiceField, EmailField } from '../../http/request-fields.js';

const RoleField = () =>
  ChoiceField(ROLES, {
    enumName: 'Role',
    description:
      '`viewer` reads; `deployer` deploys, stops and reports too; `maintainer` changes agents, webhooks and keys too; ' +
      '`owner` the project and its members too.',
    example: 'deployer',
  });

export class AddMemberRequest {
  @CanonicalEmail()
  @EmailField({ description: 'The address of an account.' })
  email: string;

  @RoleField()
  role: Role;
}

export class UpdateMemberRequest {
  @RoleField()
  role: Role;
}
