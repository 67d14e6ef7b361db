import { Group, Text, TextInput } from '@mantine/core';
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Run } from '@agent-control-plane/client';
import { useCancelRun, useRetryRun } from '../../api/runs.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { showDone, showFailure } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { useRefusals } from '../../components/required-role.js';
import { refusalOf } from './run-refusals.js';

const LONGEST_REASON = 1_000;

/** Actions of a run; those that its status or the user's role does not allow say so. */
export function RunActions({ run }: { readonly run: Run }) {
  const [isCancelling, setCancelling] = useState(false);
  const navigate = useNavigate();
  const refusalIn = useRefusals();
  const retry = useRetryRun(run.id);
  const [keyFor, settle] = useSubmissionKey();
  const again = () =>
    retry.mutate(keyFor(run.id), {
      onSuccess: ({ id }) => {
        settle();
        showDone('Retried as a new run');
        void navigate(`/runs/${id}`);
      },
      onError: (error) => showFailure('Not retried', error),
    });
  return (
    <Group gap="xs">
      <GuardedButton
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        refusal={refusalIn(run.project_id, 'deploy') ?? refusalOf('retry', run)}
        loading={retry.isPending}
        onClick={again}
      >
        Retry
      </GuardedButton>
      <GuardedButton
        variant="default"
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        refusal={refusalIn(run.project_id, 'deploy', { isForOperators: true }) ?? refusalOf('cancel', run)}
        onClick={() => setCancelling(true)}
      >
        Cancel run
      </GuardedButton>
      <CancelDialog run={run} isOpen={isCancelling} onClose={() => setCancelling(false)} />
    </Group>
  );
}

interface DialogProps {
  readonly run: Run;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function CancelDialog({ run, isOpen, onClose }: DialogProps) {
  const [reason, setReason] = useState('');
  const cancel = useCancelRun(run.id);
  const close = () => {
    cancel.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={close}
      title={run.name === null ? 'Cancel this run?' : `Cancel ${run.name}?`}
      confirmLabel="Cancel run"
      cancelLabel="Keep it"
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={() =>
        cancel.mutate(reason.trim(), {
          onSuccess: ({ status }) => {
            showDone(status === 'cancelled' ? 'The run is cancelled' : 'The agent is told to cancel it');
            close();
          },
        })
      }
    >
      <Text size="sm" mb="sm">
        {run.status === 'queued'
          ? 'It has not started, so it ends at once.'
          : 'The agent is told to cancel it. If it still succeeds, the success counts.'}
      </Text>
      <TextInput
        label="Reason"
        description="Optional. The history shows it."
        maxLength={LONGEST_REASON}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
