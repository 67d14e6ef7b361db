import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconBook2,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
  IconUserCog,
} from '@tabler/icons-react';
import { Link } from 'react-router';
import { useUser } from './require-session.js';
import { signOutHere } from './sign-out.js';
import classes from './user-menu.module.css';
import { pathHere } from '../components/page-meta.js';

const SCHEMES = [
  { value: 'auto', label: 'Same as system', icon: IconDeviceDesktop },
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
] as const;

export function UserMenu({ isCompact = false }: { readonly isCompact?: boolean }) {
  const user = useUser();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = user.name ?? user.email;
  return (
    <Menu position={isCompact ? 'bottom-end' : 'top-start'} width={230} shadow="md" withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <span className={classes.initial} aria-hidden>
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className={isCompact ? 'visually-hidden' : classes.name}>
            {name}
            <span className="visually-hidden">, your account</span>
          </span>
          {!isCompact && <IconSelector size={16} aria-hidden />}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className={classes.email}>{user.email}</Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCog size={16} aria-hidden />}>
          Account
        </Menu.Item>
        <Menu.Divider />
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as MantineColorScheme)}
          aria-label="Theme"
        >
          {SCHEMES.map(({ value, label, icon: SchemeIcon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<SchemeIcon size={16} aria-hidden />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item
          component="a"
          href={pathHere('/docs/guide/')}
          target="_blank"
          leftSection={<IconBook2 size={16} aria-hidden />}
        >
          Documentation
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOutHere()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
