import { Select, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { useChangeSettings } from '../../api/agent-acts.js';
import { showDone, showFailure } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { useRefusals } from '../../components/required-role.js';

type Capture = AgentDetail['capture'];
type LoopAction = AgentDetail['on_loop'];
type UsageChoice = AgentDetail['usage_from'];

const CAPTURES: { value: Capture; label: string }[] = [
  { value: 'none', label: 'Not kept' },
  { value: 'tools', label: 'Input and output of tool calls' },
  { value: 'all', label: 'Also messages and prompts' },
];
const LOOP_ACTIONS: { value: LoopAction; label: string }[] = [
  { value: 'notify', label: 'Notify people' },
  { value: 'cancel', label: 'Notify people and cancel the run' },
];
const USAGE_CHOICES: { value: UsageChoice; label: string }[] = [
  { value: 'auto', label: 'The best source it sends' },
  { value: 'spans', label: 'Spans' },
  { value: 'metrics', label: 'Metrics' },
  { value: 'reports', label: 'Its own reports' },
];

/** The kept content of the agent's traces, the handling of runs that loop, and the source of its usage. */
export function TraceSettings({ agent }: { readonly agent: AgentDetail }) {
  const change = useChangeSettings(agent.id);
  const refusal = useRefusals()(agent.project_id, 'agents');
  const [wanted, setWanted] = useState<Capture | null>(null);
  const onError = (error: Error) => showFailure('The setting was not saved', error);
  const save = (settings: { capture?: Capture; on_loop?: LoopAction; usage_from?: UsageChoice }) =>
    change.mutate(settings, {
      onSuccess: () => showDone('Saved'),
      onError,
      onSettled: () => setWanted(null),
    });
  const choose = (capture: Capture) => (capture === 'none' ? save({ capture }) : setWanted(capture));
  const state = { refusal, isBusy: change.isPending };
  return (
    <Stack gap="xs" maw="30rem">
      <Title order={2} size="h4" mt="sm">
        Traces
      </Title>
      <Choice
        label="Span content"
        description="Kept as long as the spans. Maintainers can read it; each access is recorded."
        choices={CAPTURES}
        value={agent.capture}
        onChoose={choose}
        {...state}
      />
      <Choice
        label="When a run seems to loop"
        description="It calls a tool ten times with the same arguments and the same result."
        choices={LOOP_ACTIONS}
        value={agent.on_loop}
        onChoose={(on_loop) => save({ on_loop })}
        {...state}
      />
      <Choice
        label="Usage is counted from"
        description="Applies to new calls. What was counted before stays."
        choices={USAGE_CHOICES}
        value={agent.usage_from}
        onChoose={(usage_from) => save({ usage_from })}
        {...state}
      />
      <ConfirmDialog
        isOpen={wanted !== null}
        onClose={() => setWanted(null)}
        title={`Keep content of ${agent.name}?`}
        confirmLabel="Keep content"
        isDestructive={false}
        isBusy={change.isPending}
        onConfirm={() => wanted && save({ capture: wanted })}
      >
        <Text size="sm">
          From now on the service stores what {agent.name}’s tools get and give
          {wanted === 'all' && ', its instructions, and all messages to and from models'}. That can include
          passwords, personal data and anything else people tell it. It is stored encrypted if the service has
          a key.
        </Text>
      </ConfirmDialog>
    </Stack>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly description: string;
  readonly choices: { value: Value; label: string }[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
  /** The reason why the person may not change it; null: there is none. */
  readonly refusal: string | null;
  readonly isBusy: boolean;
}

/** A setting with a few values. */
function Choice<Value extends string>({
  choices,
  description,
  onChoose,
  refusal,
  isBusy,
  ...shown
}: ChoiceProps<Value>) {
  return (
    <Select
      {...shown}
      description={refusal ?? description}
      data={choices}
      allowDeselect={false}
      disabled={refusal !== null || isBusy}
      onChange={(value) => {
        const chosen = choices.find((it) => it.value === value);
        if (chosen) onChoose(chosen.value);
      }}
    />
  );
}
