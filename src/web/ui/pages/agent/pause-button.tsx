import { Checkbox, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { usePauseAgent, useResumeAgent } from '../../api/pauses.js';
import { showDone, showFailure } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { LONGEST_REASON } from '../../components/pause-words.js';
import { useRefusals } from '../../components/required-role.js';

/** Pauses the agent, or ends what people have paused of it. */
export function PauseButton({ agent }: { readonly agent: AgentDetail }) {
  const [isOpen, dialog] = useDisclosure(false);
  const refusalIn = useRefusals();
  const resume = useResumeAgent(agent.id);
  const { paused } = agent;
  if (paused) {
    const isOfBudget = paused.by === 'budget' ? 'A budget paused it, and resumes it' : null;
    return (
      <GuardedButton
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={resume.isPending}
        refusal={refusalIn(agent.project_id, 'deploy') ?? isOfBudget}
        onClick={() =>
          resume.mutate(undefined, {
            onSuccess: () => showDone(`${agent.name} is resumed`),
            onError: (error) => showFailure(`${agent.name} is still paused`, error),
          })
        }
      >
        Resume
      </GuardedButton>
    );
  }
  return (
    <>
      <GuardedButton
        variant="default"
        leftSection={<IconPlayerPause size={16} aria-hidden />}
        refusal={refusalIn(agent.project_id, 'deploy', { isForOperators: true })}
        onClick={dialog.open}
      >
        Pause
      </GuardedButton>
      <PauseDialog agent={agent} isOpen={isOpen} onClose={dialog.close} />
    </>
  );
}

interface DialogProps {
  readonly agent: AgentDetail;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function PauseDialog({ agent, isOpen, onClose }: DialogProps) {
  const pause = usePauseAgent(agent.id);
  const [reason, setReason] = useState('');
  const [cancels, setCancels] = useState(false);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Pause ${agent.name}?`}
      confirmLabel="Pause agent"
      isDestructive={false}
      isBusy={pause.isPending}
      error={pause.error}
      onConfirm={() =>
        pause.mutate(
          { reason: reason.trim() === '' ? null : reason.trim(), runs: cancels ? 'cancel' : 'finish' },
          {
            onSuccess: () => {
              onClose();
              showDone(`${agent.name} is paused`);
            },
          },
        )
      }
    >
      <Stack>
        <Text size="sm">
          Its runtime stops all replicas and takes no runs. Its deployments start again when you resume it.
        </Text>
        <Textarea
          label="Reason"
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
