import { Anchor, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { type Approval, useApproval } from '../api/approvals.js';
import { ApprovalDecision } from './approval-decision.js';
import { ApprovalOutcome } from './approval-outcome.js';
import { RISK_BADGES, STATE_BADGES } from './approval-words.js';
import classes from './approval-card.module.css';
import { ExactJson, Prose, ShownText } from './exact-text.js';
import { shownText } from './hidden-characters.js';
import { ProjectFact } from './project-name.js';
import { shortId } from './short-id.js';
import { StatusBadge } from './status-badge.js';
import { TimeAgo } from './time-ago.js';

export interface ApprovalCardProps {
  /** As the list has it, or had it last. */
  readonly approval: Approval;
  /** True: it has left the list, so it is read by itself. */
  readonly isGone?: boolean;
  /** True: keys are for this card. */
  readonly isSelected: boolean;
  readonly onSelect?: () => void;
  readonly hasKeys: boolean;
}

/** The id of the element of a card. */
export const cardId = (id: string) => `approval-${id}`;

/** A question of an agent, in full, and the decision. */
export function ApprovalCard({ approval: listed, isGone = false, ...props }: ApprovalCardProps) {
  const { isSelected, onSelect, hasKeys } = props;
  const { data, error } = useApproval(listed.id, isGone);
  const approval = data && (isGone || data.state !== 'pending') ? data : listed;
  const card = useRef<HTMLElement>(null);
  const { title, action, description, state } = approval;
  const last = useRef(state);
  useEffect(() => {
    const isDecidedNow = last.current === 'pending' && state !== 'pending';
    last.current = state;
    // The pressed button is gone: the next key is for this card, and not for the page.
    if (isDecidedNow && isSelected && document.activeElement === document.body)
      card.current?.focus({ preventScroll: true });
  }, [state, isSelected]);
  return (
    <article
      ref={card}
      id={cardId(approval.id)}
      className={classes.card}
      data-is-selected={isSelected}
      data-is-decided={state !== 'pending'}
      tabIndex={-1}
      aria-label={shownText(title)}
      onFocusCapture={onSelect}
      onClickCapture={onSelect}
    >
      <header className={classes.header}>
        <h2 className={classes.title}>
          <Link to={`/approvals/${approval.id}`} className={classes.link}>
            <ShownText text={title} />
          </Link>
        </h2>
        <StatusBadge {...RISK_BADGES[approval.risk]} />
        <StatusBadge {...STATE_BADGES[state]} />
      </header>
      <Facts approval={approval} />
      {description !== null && <Prose text={description} what="description" />}
      <div className={classes.action}>
        <Text size="sm">
          Wants to run{' '}
          <code className={classes.name}>
            <ShownText text={action.name} />
          </code>
          {action.args === null && ' without arguments'}
        </Text>
        {action.args !== null && <ExactJson value={action.args} what="arguments" />}
      </div>
      {isGone && error && !data ? (
        <Text size="sm" c="dimmed">
          It was deleted with its agent.
        </Text>
      ) : state === 'pending' ? (
        <ApprovalDecision
          approval={approval}
          hasKeys={hasKeys && isSelected}
          onClosed={() => card.current?.focus({ preventScroll: true })}
        />
      ) : (
        <ApprovalOutcome approval={approval} />
      )}
    </article>
  );
}

function Facts({ approval }: { readonly approval: Approval }) {
  const { agent_id, agent_name, run_id, project_id, state } = approval;
  return (
    <div className={classes.facts}>
      <span>
        Agent{' '}
        <Anchor component={Link} to={`/agents/${agent_id}`} inherit>
          <ShownText text={agent_name} />
        </Anchor>
      </span>
      {run_id !== null && (
        <span>
          Run{' '}
          <Anchor component={Link} to={`/runs/${run_id}`} inherit>
            …{shortId(run_id)}
          </Anchor>
        </span>
      )}
      <ProjectFact id={project_id} />
      <span>
        Asked <TimeAgo at={approval.requested_at} />
      </span>
      {state === 'pending' && (
        <span>
          Expires <TimeAgo at={approval.expires_at} />
        </span>
      )}
    </div>
  );
}
