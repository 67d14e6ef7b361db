import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { StatusBadge, type Tone } from './status-badge.js';
import { TimeAgo } from './time-ago.js';
import classes from './timeline.module.css';

/** The items of a history, newest first. */
export function TimelineList({ children }: { readonly children: ReactNode }) {
  return (
    <ol className={classes.list} reversed>
      {children}
    </ol>
  );
}

/** A step of a history. */
export interface TimelineEvent {
  readonly sequence: number;
  readonly status: string;
  /** Null for the first step. */
  readonly previous_status: string | null;
  readonly created_at: string;
}

export interface TimelineItemProps {
  readonly event: TimelineEvent;
  readonly sign: Icon;
  readonly tone: Tone;
  readonly title: string;
  /** The meaning of an entry, and its cause. */
  readonly children: ReactNode;
  /** A text that can be long. */
  readonly message?: { readonly text: string; readonly label: string; readonly isError: boolean } | null;
  /** Returns the text of a status; absent: the status itself. */
  readonly wordOf?: (status: string) => string;
  readonly isNew?: boolean;
}

/** A step of a history, with its change of the status. */
export function TimelineItem(props: TimelineItemProps) {
  const { event, sign: Sign, tone, title, children, message, wordOf, isNew = false } = props;
  return (
    <li className={classes.item} data-new={isNew}>
      <span className={classes.mark} data-tone={tone}>
        <Sign size={16} aria-hidden />
      </span>
      <div className={classes.body}>
        <p className={classes.title}>
          <strong>{title}</strong> <Change event={event} wordOf={wordOf} />
        </p>
        <p className={classes.detail}>{children}</p>
        {message && (
          <p
            className={classes.message}
            data-is-error={message.isError}
            tabIndex={0}
            role="group"
            aria-label={`${message.label} of step ${event.sequence}`}
          >
            {message.text}
          </p>
        )}
      </div>
      <span className={classes.time}>
        <TimeAgo at={event.created_at} />
        <span className={classes.sequence}>
          <span className="visually-hidden">step </span>#{event.sequence}
        </span>
      </span>
    </li>
  );
}

function Change({ event, wordOf = (it) => it }: Pick<TimelineItemProps, 'event' | 'wordOf'>) {
  const { status, previous_status: before } = event;
  if (before === null || before === status) return <StatusBadge status={status} label={wordOf(status)} />;
  return (
    <span className={classes.change}>
      <StatusBadge status={before} label={wordOf(before)} />
      <span aria-hidden>→</span>
      <span className="visually-hidden"> became </span>
      <StatusBadge status={status} label={wordOf(status)} />
    </span>
  );
}
