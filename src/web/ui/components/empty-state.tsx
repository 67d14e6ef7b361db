import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

export interface EmptyStateProps {
  readonly icon: Icon;
  readonly title: string;
  /** The next step for the user. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ icon: EmptyIcon, title, children, action }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      <EmptyIcon size={32} stroke={1.4} aria-hidden className={classes.icon} />
      <h2 className={classes.title}>{title}</h2>
      {children && <p className={classes.text}>{children}</p>}
      {action}
    </div>
  );
}
