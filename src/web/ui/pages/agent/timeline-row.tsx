import { type Icon, IconCoin, IconFileDiff, IconHelpCircle, IconListCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { TimelineEntry } from '../../api/agent-timeline.js';
import type { ApprovalState } from '../../api/approvals.js';
import { ActorLink } from '../../components/actor-link.js';
import { STATE_BADGES } from '../../components/approval-words.js';
import { durationText } from '../../components/duration.js';
import { ShownText } from '../../components/exact-text.js';
import { statusWord } from '../../components/run-words.js';
import { StatusBadge, type Tone } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { describeEvent } from '../deployment/event-descriptions.js';
import { signOf } from '../deployment/event-signs.js';
import classes from './agent-timeline.module.css';
import type { TimelineLine } from './timeline-groups.js';

export interface TimelineRowProps {
  readonly line: TimelineLine;
  readonly agentId: string;
}

/** One line of an agent's timeline. */
export function TimelineRow({ line, agentId }: TimelineRowProps) {
  const [entry, ...older] = line;
  const [Sign, tone] = lookOf(entry);
  return (
    <li className={classes.item}>
      <span className={classes.mark} data-tone={tone}>
        <Sign size={14} aria-hidden />
      </span>
      <div className={classes.body}>
        <p className={classes.line}>
          {older.length > 0 ? (
            <Runs line={line} agentId={agentId} />
          ) : (
            <Title entry={entry} agentId={agentId} />
          )}
          {entry.actor !== null && (
            <span className={classes.detail}>
              by <ActorLink of={{ ...entry, actor: entry.actor }} />
            </span>
          )}
        </p>
        {entry.message !== null && older.length === 0 && (
          <p className={classes.message} data-is-error={entry.kind !== 'approval'} title={entry.message}>
            <ShownText text={entry.message} />
          </p>
        )}
      </div>
      <span className={classes.side}>
        <TimeAgo at={entry.at} />
        <Link
          className={classes.logs}
          to={`/agents/${agentId}?tab=logs&at=${encodeURIComponent(entry.at)}`}
          aria-label={`Logs at ${entry.at}`}
        >
          Logs
        </Link>
      </span>
    </li>
  );
}

function lookOf({ kind, event }: TimelineEntry): readonly [Icon, Tone] {
  if (kind === 'deployment') return signOf(event);
  if (kind === 'approval') return [IconHelpCircle, STATE_BADGES[event as ApprovalState].tone];
  if (kind === 'budget') return [IconCoin, event === 'exceeded' ? 'bad' : 'warn'];
  return kind === 'run' ? [IconListCheck, 'quiet'] : [IconFileDiff, 'quiet'];
}

function Runs({ line, agentId }: Pick<TimelineRowProps, 'line' | 'agentId'>) {
  const [{ event }] = line;
  return (
    <>
      <Link className={classes.name} to={`/agents/${agentId}?tab=runs&status=${event}`}>
        {line.length} runs in a row
      </Link>
      <StatusBadge status={event} label={statusWord(event)} />
      <span className={classes.detail}>
        since <TimeAgo at={line.at(-1)!.at} />
      </span>
    </>
  );
}

function Title({ entry, agentId }: { readonly entry: TimelineEntry; readonly agentId: string }): ReactNode {
  const { kind, id, event, title, at, ended_at: end, config_version: version, replicas } = entry;
  if (kind === 'deployment') {
    const { title: step, means } = describeEvent({
      event_type: event,
      replicas: replicas ?? 0,
    });
    return (
      <>
        <Link className={classes.name} to={`/deployments/${id}`} title={means}>
          {event === 'deploy' && version !== null ? `Version ${version} deployed` : step}
        </Link>
        {event !== 'deploy' && version !== null && <span className={classes.detail}>version {version}</span>}
      </>
    );
  }
  if (kind === 'run') {
    return (
      <>
        <Link className={classes.name} to={`/runs/${id}`}>
          {title === null ? 'Run' : <ShownText text={title} />}
        </Link>
        <StatusBadge status={event} label={statusWord(event)} />
        {end !== null && (
          <span className={classes.detail}>after {durationText(Date.parse(end) - Date.parse(at))}</span>
        )}
      </>
    );
  }
  if (kind === 'approval') {
    const badge = STATE_BADGES[event as ApprovalState];
    return (
      <>
        <Link className={classes.name} to={`/approvals/${id}`}>
          Asked: <ShownText text={title ?? ''} />
        </Link>
        <StatusBadge {...badge} />
      </>
    );
  }
  if (kind === 'budget') {
    return (
      <>
        <Link className={classes.name} to="/usage?tab=budgets">
          Budget: <ShownText text={title ?? ''} />
        </Link>
        <StatusBadge status={event} />
      </>
    );
  }
  return (
    <Link className={classes.name} to={`/agents/${agentId}?tab=configuration`}>
      Configuration version {version} saved
    </Link>
  );
}
