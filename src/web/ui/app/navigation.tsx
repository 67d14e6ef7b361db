import {
  type Icon,
  IconAddressBook,
  IconCalendarClock,
  IconChartLine,
  IconCircleCheck,
  IconFolders,
  IconKey,
  IconLayoutDashboard,
  IconListCheck,
  IconListSearch,
  IconRobot,
  IconRocket,
  IconTerminal2,
  IconTool,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { type ComponentType, lazy, Suspense } from 'react';
import { NavLink } from 'react-router';
import type { User } from '@agent-control-plane/client';
import classes from './navigation.module.css';
import { useUser } from './require-session.js';

const PendingBadge = lazy(async () => ({ default: (await import('./pending-badge.js')).PendingBadge }));

interface Destination {
  readonly to: string;
  readonly label: string;
  readonly icon: Icon;
  /** Name of one row of it, if each row has a page: the heading of that page until its row is known. */
  readonly noun?: string;
  /** The key that opens it, pressed after `g`. */
  readonly goKey?: string;
  /** A mark next to the label. */
  readonly badge?: ComponentType;
}

export const DESTINATIONS: readonly Destination[] = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard, goKey: 'o' },
  {
    to: '/approvals',
    label: 'Approvals',
    noun: 'Approval',
    icon: IconCircleCheck,
    goKey: 'q',
    badge: PendingBadge,
  },
  { to: '/agents', label: 'Agents', noun: 'Agent', icon: IconRobot, goKey: 'a' },
  { to: '/deployments', label: 'Deployments', noun: 'Deployment', icon: IconRocket, goKey: 'd' },
  { to: '/runs', label: 'Runs', noun: 'Run', icon: IconListCheck, goKey: 'r' },
  { to: '/schedules', label: 'Schedules', noun: 'Schedule', icon: IconCalendarClock, goKey: 's' },
  { to: '/usage', label: 'Usage', icon: IconChartLine, goKey: 'u' },
  { to: '/logs', label: 'Logs', icon: IconTerminal2, goKey: 'l' },
  { to: '/api-keys', label: 'API keys', icon: IconKey, goKey: 'k' },
  { to: '/webhooks', label: 'Webhooks', noun: 'Webhook', icon: IconWebhook, goKey: 'w' },
  { to: '/audit', label: 'Audit', icon: IconListSearch, goKey: 't' },
  { to: '/projects', label: 'Projects', noun: 'Project', icon: IconFolders, goKey: 'p' },
];

export const OPERATOR_DESTINATIONS: readonly Destination[] = [
  { to: '/users', label: 'Users', icon: IconUsers },
  { to: '/leads', label: 'Leads', icon: IconAddressBook },
  { to: '/maintenance', label: 'Maintenance', icon: IconTool },
];

/** All pages that the user may open from here. */
export function useDestinations(): readonly Destination[] {
  return useUser().is_admin ? [...DESTINATIONS, ...OPERATOR_DESTINATIONS] : DESTINATIONS;
}

export interface NavigationProps {
  /** Null: unknown, in the frame of the document; the entries for operators and the marks are left out. */
  readonly user: User | null;
  readonly onNavigate?: () => void;
}

export function Navigation({ user, onNavigate }: NavigationProps) {
  return (
    <nav aria-label="Main">
      <Links destinations={DESTINATIONS} hasBadges={user !== null} onNavigate={onNavigate} />
      {user?.is_admin && (
        <>
          <p className={classes.group}>Operators</p>
          <Links destinations={OPERATOR_DESTINATIONS} hasBadges onNavigate={onNavigate} />
        </>
      )}
    </nav>
  );
}

interface LinksProps {
  readonly destinations: readonly Destination[];
  readonly hasBadges: boolean;
  readonly onNavigate: (() => void) | undefined;
}

function Links({ destinations, hasBadges, onNavigate }: LinksProps) {
  return (
    <ul className={classes.list}>
      {destinations.map(({ to, label, icon: DestinationIcon, badge: Badge }) => (
        <li key={to}>
          <NavLink to={to} end={to === '/'} className={classes.link} onClick={onNavigate}>
            <DestinationIcon size={18} stroke={1.7} aria-hidden />
            {label}
            {hasBadges && Badge && (
              <Suspense>
                <Badge />
              </Suspense>
            )}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}
