import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

export interface NoticeProps {
  readonly tone: 'warn' | 'bad' | 'busy';
  readonly icon: Icon;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** `alert` is read out at once, `status` at the next pause; absent: neither. */
  readonly role?: 'alert' | 'status';
}

/** A highlighted message. */
export function Notice({ tone, icon: NoticeIcon, title, children, role }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={tone} role={role}>
      <NoticeIcon size={18} aria-hidden className={classes.icon} />
      <div className={classes.body}>
        <p className={classes.title}>{title}</p>
        {children}
      </div>
    </div>
  );
}
