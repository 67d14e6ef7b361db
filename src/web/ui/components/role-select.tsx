import { Select, type SelectProps } from '@mantine/core';
import type { Role } from '../api/projects.js';

const MEANINGS: Readonly<Record<Role, string>> = {
  viewer: 'Sees everything in the project and changes nothing',
  deployer: 'Also deploys, scales, stops and restarts',
  maintainer: 'Also creates, changes and deletes agents, webhooks and keys',
  owner: 'Also adds and removes members, renames and deletes the project',
};

export interface RoleSelectProps extends Pick<SelectProps, 'label' | 'error'> {
  readonly roles: readonly Role[];
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

/** A choice of a role, with what the chosen one may do. */
export function RoleSelect({ roles, value, onChange, ...shown }: RoleSelectProps) {
  return (
    <Select
      {...shown}
      description={MEANINGS[value]}
      data={[...roles]}
      allowDeselect={false}
      value={value}
      onChange={(role) => role !== null && onChange(role)}
    />
  );
}
