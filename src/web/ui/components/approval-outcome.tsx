import { Text } from '@mantine/core';
import type { Approval } from '../api/approvals.js';
import { ActorLink } from './actor-link.js';
import classes from './approval-card.module.css';
import { outcomeText } from './approval-words.js';
import { Prose } from './exact-text.js';
import { LineDiff } from './line-diff.js';
import { TimeAgo } from './time-ago.js';

export const indented = (value: unknown) => JSON.stringify(value, null, 2);

function deciderOf({ decided_by: actor, decided_by_name, decided_by_email }: Approval) {
  return actor && { actor, actor_name: decided_by_name, actor_email: decided_by_email };
}

/** The decision on an approval: person, time and verdict. */
export function ApprovalOutcome({ approval }: { readonly approval: Approval }) {
  const { state, decided_at, reason, response, edited_args, fetched_at, action } = approval;
  const decider = deciderOf(approval);
  return (
    <div className={classes.outcome}>
      <p className={classes.by} role="status">
        <strong>
          {outcomeText(state)}
          {decider && (
            <>
              {' by '}
              <ActorLink of={decider} />
            </>
          )}{' '}
          <TimeAgo at={decided_at} />
        </strong>
        {state !== 'withdrawn' && (
          <Text span size="sm" c="dimmed">
            {fetched_at === null ? (
              'Its agent has not fetched the answer yet.'
            ) : (
              <>
                Its agent fetched the answer <TimeAgo at={fetched_at} />.
              </>
            )}
          </Text>
        )}
      </p>
      {reason !== null && <Prose text={`Reason: ${reason}`} what="reason" />}
      {response !== null && <Prose text={response} what="answer" />}
      {state === 'edited' && (
        <LineDiff before={indented(action.args)} after={indented(edited_args)} label="Changes" />
      )}
    </div>
  );
}
