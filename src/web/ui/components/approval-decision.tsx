import { Group, Text } from '@mantine/core';
import { IconCheck, IconMessage, IconPencil, IconUsers, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { type Approval, useDecide, type Verdict } from '../api/approvals.js';
import { ActorLink } from './actor-link.js';
import { showFailure } from './announce.js';
import { AnswerForm, ConfirmForm, EditForm } from './approval-forms.js';
import classes from './approval-card.module.css';
import { indented } from './approval-outcome.js';
import { STATE_BADGES } from './approval-words.js';
import { useApproverRefusal } from './approver-refusal.js';
import { GuardedButton } from './guarded-button.js';
import { shownText } from './hidden-characters.js';
import { LineDiff } from './line-diff.js';
import { Notice } from './notice.js';
import { useRefusals } from './required-role.js';
import { useShortcuts } from './shortcut-keys.js';

type Choice = Verdict['decision'];

export interface ApprovalDecisionProps {
  readonly approval: Approval;
  /** True: keys are for this approval. */
  readonly hasKeys: boolean;
  /** Called when a form is closed, whose element had the focus. */
  readonly onClosed: () => void;
}

/** The decisions that the agent understands. One is chosen first, and acts with the second press. */
export function ApprovalDecision({ approval, hasKeys, onClosed }: ApprovalDecisionProps) {
  const { allowed_decisions: allowed, edited_args: proposal } = approval;
  const [chosen, setChosen] = useState<Choice | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const decide = useDecide(approval, ({ state, title }) =>
    showFailure(
      'Somebody decided before you',
      new Error(`${shownText(title)}: ${STATE_BADGES[state].label}`),
    ),
  );
  const role = useRefusals()(approval.project_id, 'approve');
  const approverRefusal = useApproverRefusal(approval);
  // The second of two people approves what the first one proposes.
  const approves: Choice = proposal === null ? 'approve' : 'edit';
  const refusals: Readonly<Record<'approve' | 'edit' | 'reject' | 'respond', string | null>> = {
    approve: role ?? approverRefusal(false),
    edit: role ?? approverRefusal(true),
    reject: role,
    respond: role,
  };
  const choose = (choice: Choice) => {
    decide.reset();
    setChosen(choice);
  };
  const close = () => {
    setChosen(null);
    onClosed();
  };
  const act = (verdict: Verdict) => {
    if (!decide.isPending) decide.mutate(verdict, { onSuccess: close });
  };
  const press = (choice: 'approve' | 'reject') => () => {
    // An edit is an approval with other arguments; its form is there once they are reviewed.
    if (chosen === choice || (choice === 'approve' && chosen === 'edit')) form.current?.requestSubmit();
    else if (chosen === null && isOffered(choice) && refusals[choice] === null) choose(choice);
  };
  const isOffered = (choice: Choice) => allowed.includes(choice === 'approve' ? approves : choice);
  useShortcuts(hasKeys, {
    a: press('approve'),
    r: press('reject'),
    ...(chosen !== null && { Escape: close }),
  });
  const undo = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  const shown = { form, approval, hasKeys, isBusy: decide.isPending, error: decide.error, onCancel: close };
  return (
    <>
      <FirstApproval approval={approval} />
      {role === null && refusals.approve !== null && (
        <Text size="sm" c="dimmed">
          {refusals.approve}
        </Text>
      )}
      {chosen === null && (
        <Group gap="xs" role="group" aria-label="Decisions">
          {isOffered('approve') && (
            <GuardedButton
              size="sm"
              leftSection={<IconCheck size={16} aria-hidden />}
              refusal={refusals.approve}
              onClick={() => choose('approve')}
            >
              {proposal === null ? 'Approve' : 'Approve the changes'}
            </GuardedButton>
          )}
          {isOffered('edit') && (
            <GuardedButton
              size="sm"
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              refusal={refusals.edit}
              onClick={() => choose('edit')}
            >
              Edit
            </GuardedButton>
          )}
          {isOffered('reject') && (
            <GuardedButton
              size="sm"
              variant="default"
              leftSection={<IconX size={16} aria-hidden />}
              refusal={refusals.reject}
              onClick={() => choose('reject')}
            >
              Reject
            </GuardedButton>
          )}
          {isOffered('respond') && (
            <GuardedButton
              size="sm"
              variant="default"
              leftSection={<IconMessage size={16} aria-hidden />}
              refusal={refusals.respond}
              onClick={() => choose('respond')}
            >
              Answer
            </GuardedButton>
          )}
        </Group>
      )}
      {chosen !== null && (
        <div className={classes.form} onKeyDown={undo}>
          {chosen === 'approve' && (
            <ConfirmForm
              {...shown}
              decision="approve"
              onConfirm={(reason) =>
                act({ decision: approves, ...reason, ...(proposal !== null && { edited_args: proposal }) })
              }
            />
          )}
          {chosen === 'reject' && (
            <ConfirmForm
              {...shown}
              decision="reject"
              onConfirm={(reason) => act({ decision: 'reject', ...reason })}
            />
          )}
          {chosen === 'respond' && (
            <AnswerForm {...shown} onConfirm={(response) => act({ decision: 'respond', response })} />
          )}
          {chosen === 'edit' && (
            <EditForm
              {...shown}
              onConfirm={(edited_args, reason) => act({ decision: 'edit', edited_args, ...reason })}
            />
          )}
        </div>
      )}
    </>
  );
}

/** The first of two approvers, and their changes. */
function FirstApproval({ approval }: { readonly approval: Approval }) {
  const { first_approved_by: actor, edited_args: proposal, action } = approval;
  if (actor === null) return null;
  const names = {
    actor_name: approval.first_approved_by_name,
    actor_email: approval.first_approved_by_email,
  };
  const title = (
    <>
      Approved by <ActorLink of={{ actor, ...names }} />, the first of two people
    </>
  );
  return (
    <Notice tone="busy" icon={IconUsers} title={title}>
      <Text size="sm">Another person must approve {proposal === null ? 'it' : 'the same changes'}, too.</Text>
      {proposal !== null && (
        <LineDiff before={indented(action.args)} after={indented(proposal)} label="Proposed changes" />
      )}
    </Notice>
  );
}
