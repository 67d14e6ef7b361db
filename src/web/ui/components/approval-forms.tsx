import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { Approval } from '../api/approvals.js';
import { indented } from './approval-outcome.js';
import { editedArgs } from './edited-args.js';
import { ErrorNotice } from './error-notice.js';
import { ShownText } from './exact-text.js';
import { visibleJson } from './hidden-characters.js';
import { JsonEditor } from './json-editor.js';
import { findJsonFault } from './json-fault.js';
import { LineDiff } from './line-diff.js';
import classes from './approval-card.module.css';

const LONGEST_REASON = 1_000;
const LONGEST_ANSWER = 8_192;

/** A reason that was given. */
type Reason = { readonly reason?: string };

interface FormProps {
  readonly approval: Approval;
  readonly form: RefObject<HTMLFormElement | null>;
  readonly isBusy: boolean;
  /** True: the key that chose the decision takes it, too. */
  readonly hasKeys: boolean;
  /** The service's refusal; the typed text stays. */
  readonly error: Error | null;
  readonly onCancel: () => void;
}

const WORDS = {
  approve: { verb: 'Approve', key: 'a', color: undefined },
  reject: { verb: 'Reject', key: 'r', color: 'red.9' },
} as const;

interface ConfirmFormProps extends FormProps {
  readonly decision: 'approve' | 'reject';
  readonly cancelLabel?: string;
  readonly onConfirm: (reason: Reason) => void;
  readonly children?: ReactNode;
}

/** The second step of an approval or a refusal. An approval of high risk asks for the name of the action. */
export function ConfirmForm(props: ConfirmFormProps) {
  const { approval, decision, form, isBusy, hasKeys, error, onConfirm, onCancel } = props;
  const { cancelLabel = 'Cancel', children } = props;
  const { verb, key, color } = WORDS[decision];
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const name = approval.action.name;
  const asksName = decision === 'approve' && approval.risk === 'high';
  const isReady = !asksName || typed.trim() === name.trim();
  const first = useRef<HTMLInputElement & HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onConfirm(reason.trim() === '' ? {} : { reason: reason.trim() });
  };
  return (
    <form ref={form} className={classes.fields} onSubmit={submit} onKeyDown={refuseHeldEnter}>
      {error && <ErrorNotice title="The decision was not saved" error={error} />}
      {children}
      {asksName && (
        <TextInput
          ref={first}
          label={
            <>
              Type{' '}
              <code className={classes.name}>
                <ShownText text={name} />
              </code>{' '}
              to approve it
            </>
          }
          description="Its risk is high."
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Reason"
        description="Optional. The agent receives it, and the history shows it."
        maxLength={LONGEST_REASON}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button variant="default" onClick={onCancel}>
          {cancelLabel}
        </Button>
        <Button
          ref={asksName ? undefined : first}
          type="submit"
          color={color}
          loading={isBusy}
          disabled={!isReady}
        >
          {`${verb} ${shortName(name)}`}
        </Button>
        {hasKeys && !asksName && (
          <Text size="xs" c="dimmed" visibleFrom="sm">
            Press {key} again, or Escape
          </Text>
        )}
      </Group>
    </form>
  );
}

/** Enter that is held down is one press: the button that it pressed first has opened this form. */
function refuseHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter') event.preventDefault();
}

/** The names of some actions are as long as a sentence. */
function shortName(name: string): string {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}

interface AnswerFormProps extends FormProps {
  readonly onConfirm: (response: string) => void;
}

/** An answer in words, which neither approves nor rejects. */
export function AnswerForm({ form, isBusy, error, onConfirm, onCancel }: AnswerFormProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm(text.trim());
  };
  return (
    <form ref={form} className={classes.fields} onSubmit={submit}>
      {error && <ErrorNotice title="The answer was not saved" error={error} />}
      <Textarea
        ref={field}
        label="Answer"
        description="The agent receives this answer instead of an approval, and does not act."
        autosize
        minRows={3}
        maxRows={12}
        maxLength={LONGEST_ANSWER}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isBusy} disabled={text.trim() === ''}>
          Send answer
        </Button>
      </Group>
    </form>
  );
}

interface EditFormProps extends FormProps {
  readonly onConfirm: (editedArgs: unknown, reason: Reason) => void;
}

/** Other arguments: they are written, then shown as a diff, and then approved. */
export function EditForm({ approval, onConfirm, onCancel, ...shown }: EditFormProps) {
  const { action, edited_args: proposal } = approval;
  const [text, setText] = useState(() => visibleJson(indented(proposal ?? action.args)));
  const [isReviewed, setReviewed] = useState(false);
  const isJson = findJsonFault(text) === null;
  const edited = isJson ? editedArgs(text, action.args) : null;
  if (isReviewed && edited?.problem === null) {
    return (
      <ConfirmForm
        {...shown}
        approval={approval}
        decision="approve"
        cancelLabel="Back"
        onCancel={() => setReviewed(false)}
        onConfirm={(reason) => onConfirm(edited.value, reason)}
      >
        <Text size="sm">Its agent runs it with these arguments instead:</Text>
        <LineDiff before={indented(action.args)} after={indented(edited.value)} label="What changes" />
      </ConfirmForm>
    );
  }
  return (
    <div className={classes.fields}>
      <JsonEditor label="Arguments" value={text} onChange={setText} minRows={4} />
      {edited?.problem && (
        <Text size="sm" c="dimmed" role="status">
          {edited.problem}
        </Text>
      )}
      <Group gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button disabled={edited?.problem !== null} onClick={() => setReviewed(true)}>
          Review changes
        </Button>
      </Group>
    </div>
  );
}
