import { Checkbox, Input, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { IconPlayerPause } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useChosenProjectId } from '../api/chosen-project.js';
import { type PauseSelector, useMatchingAgents, usePauseAll } from '../api/pauses.js';
import { useSubmissionKey } from '../api/submission-key.js';
import { showDone } from './announce.js';
import { ConfirmDialog } from './confirm-dialog.js';
import { counted } from './counted.js';
import { GuardedButton } from './guarded-button.js';
import { isLabelText } from './label-text.js';
import { LONGEST_REASON } from './pause-words.js';
import { useProjectOfNew } from './project-select.js';
import { useRefusals } from './required-role.js';

/** Time after the last key before the agents are counted; milliseconds. */
const SETTLED_MS = 250;

const WHICH = [
  { value: 'label', label: 'By label' },
  { value: 'type', label: 'By type' },
  { value: 'all', label: 'All' },
] as const;
type Which = (typeof WHICH)[number]['value'];

/** Pauses all agents of a project, or those of a label or a type. */
export function PauseAllButton() {
  const [isOpen, dialog] = useDisclosure(false);
  const refusal = useRefusals()(useChosenProjectId(), 'deploy');
  return (
    <>
      <GuardedButton
        leftSection={<IconPlayerPause size={16} aria-hidden />}
        refusal={refusal}
        onClick={dialog.open}
      >
        Pause agents
      </GuardedButton>
      {isOpen && <PauseAllDialog onClose={dialog.close} />}
    </>
  );
}

function PauseAllDialog({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const [which, choose] = useState<Which>('label');
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const [cancels, setCancels] = useState(false);
  const { projectId, field } = useProjectOfNew('deploy');
  const wanted = selectorOf(which, text.trim(), projectId);
  const [settled] = useDebouncedValue(JSON.stringify(wanted), SETTLED_MS);
  const isSettled = settled === JSON.stringify(wanted);
  const matching = useMatchingAgents(isSettled ? wanted : null);
  const count = isSettled && wanted !== null ? matching.data : undefined;
  const pause = usePauseAll();
  const [keyFor, settle] = useSubmissionKey();
  const confirm = () => {
    const body = { ...wanted, reason: reason.trim(), runs: cancels ? 'cancel' : 'finish' } as const;
    pause.mutate(
      { wanted: body, key: keyFor(body) },
      {
        onSuccess: ({ agents }) => {
          settle();
          onClose();
          showDone(`${counted(agents, 'agent')} ${agents === 1 ? 'is' : 'are'} paused`);
        },
      },
    );
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Pause agents"
      confirmLabel={count ? `Pause ${counted(count, 'agent')}` : 'Pause'}
      isDestructive={false}
      isBusy={pause.isPending}
      isDisabled={!count || reason.trim() === ''}
      error={pause.error ?? matching.error}
      onConfirm={confirm}
    >
      <Stack>
        <Text size="sm">
          Their runtimes stop all replicas and take no runs. Their deployments start again when the pause
          ends. Agents created later are not paused.
        </Text>
        {field}
        <div>
          <Input.Label id={id}>Which agents</Input.Label>
          <SegmentedControl
            aria-labelledby={id}
            fullWidth
            mb="xs"
            data={[...WHICH]}
            value={which}
            onChange={(value) => {
              choose(value);
              setText('');
            }}
          />
          {which !== 'all' && (
            <TextInput
              label={which === 'label' ? 'Label' : 'Type'}
              placeholder={which === 'label' ? 'team:billing' : 'worker'}
              required
              spellCheck={false}
              autoCapitalize="off"
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
          <Text size="sm" fw={600} mt={6} mih="1.5em" role="status">
            {count !== undefined &&
              (count === 0
                ? 'No agent matches'
                : `${counted(count, 'agent')} ${count === 1 ? 'matches' : 'match'}`)}
          </Text>
        </div>
        <Textarea
          label="Reason"
          required
          maxLength={LONGEST_REASON}
          autosize
          minRows={2}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Checkbox
          label="Cancel the runs in progress"
          checked={cancels}
          onChange={({ currentTarget }) => setCancels(currentTarget.checked)}
        />
      </Stack>
    </ConfirmDialog>
  );
}

/** The agents that are meant; null: it is yet to be typed. Pure. */
function selectorOf(which: Which, text: string, projectId: string | undefined): PauseSelector | null {
  const project = projectId === undefined ? {} : { project_id: projectId };
  if (which === 'all') return project;
  if (which === 'type') return text === '' ? null : { ...project, type: text };
  return isLabelText(text) ? { ...project, label: text } : null;
}
