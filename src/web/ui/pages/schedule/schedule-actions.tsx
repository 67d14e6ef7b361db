import { ActionIcon, Menu, Modal } from '@mantine/core';
import {
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Schedule } from '@agent-control-plane/client';
import { useDeleteSchedule, useTriggerSchedule, useUpdateSchedule } from '../../api/schedules.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { showDone, showFailure } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { GuardedItem } from '../../components/guarded-item.js';
import { useRefusals } from '../../components/required-role.js';
import { draftOf } from '../../components/schedule-draft.js';
import { ScheduleForm } from '../../components/schedule-form.js';

/** Actions of a schedule; those that the user's role does not allow say so. */
export function ScheduleActions({ schedule }: { readonly schedule: Schedule }) {
  const [asked, setAsked] = useState<'edit' | 'delete' | null>(null);
  const close = () => setAsked(null);
  const refusalIn = useRefusals();
  const refusal = refusalIn(schedule.project_id, 'deploy');
  return (
    <>
      <TriggerButton schedule={schedule} refusal={refusal} />
      <PauseButton schedule={schedule} refusal={refusal} />
      <GuardedButton
        variant="default"
        leftSection={<IconPencil size={16} aria-hidden />}
        refusal={refusal}
        onClick={() => setAsked('edit')}
      >
        Edit
      </GuardedButton>
      <Menu position="bottom-end" width={230} withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <GuardedItem
            color="var(--bad)"
            leftSection={<IconTrash size={16} aria-hidden />}
            refusal={refusalIn(schedule.project_id, 'deploy', { isForOperators: true })}
            onClick={() => setAsked('delete')}
          >
            Delete schedule
          </GuardedItem>
        </Menu.Dropdown>
      </Menu>
      {asked === 'edit' && <EditDialog schedule={schedule} onClose={close} />}
      {asked === 'delete' && <DeleteDialog schedule={schedule} onClose={close} />}
    </>
  );
}

interface ButtonProps {
  readonly schedule: Schedule;
  readonly refusal: string | null;
}

/** Asks for a run now, and opens its page. */
function TriggerButton({ schedule, refusal }: ButtonProps) {
  const trigger = useTriggerSchedule(schedule.id);
  const navigate = useNavigate();
  const [keyFor, settle] = useSubmissionKey();
  return (
    <GuardedButton
      leftSection={<IconPlayerTrackNext size={16} aria-hidden />}
      refusal={refusal}
      loading={trigger.isPending}
      onClick={() =>
        trigger.mutate(keyFor(schedule.id), {
          onSuccess: ({ id }) => {
            settle();
            showDone('Run requested');
            void navigate(`/runs/${id}`);
          },
          onError: (error) => showFailure('Run not requested', error),
        })
      }
    >
      Run now
    </GuardedButton>
  );
}

function PauseButton({ schedule, refusal }: ButtonProps) {
  const update = useUpdateSchedule(schedule.id);
  const { is_active: isActive } = schedule;
  const Sign = isActive ? IconPlayerPause : IconPlayerPlay;
  return (
    <GuardedButton
      variant="default"
      leftSection={<Sign size={16} aria-hidden />}
      refusal={refusal}
      loading={update.isPending}
      onClick={() =>
        update.mutate(
          { is_active: !isActive },
          {
            onSuccess: () => showDone(isActive ? 'Schedule paused' : 'Schedule resumed'),
            onError: (error) => showFailure(isActive ? 'Not paused' : 'Not resumed', error),
          },
        )
      }
    >
      {isActive ? 'Pause' : 'Resume'}
    </GuardedButton>
  );
}

interface DialogProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

function EditDialog({ schedule, onClose }: DialogProps) {
  const update = useUpdateSchedule(schedule.id);
  // a reload meanwhile must not change the typed text
  const [initial] = useState(() => draftOf(schedule));
  return (
    <Modal opened onClose={onClose} size="lg" title="Edit the schedule">
      <ScheduleForm
        initial={initial}
        submitLabel="Save"
        isBusy={update.isPending}
        error={update.error}
        onSubmit={(terms) =>
          update.mutate(terms, {
            onSuccess: () => {
              onClose();
              showDone('Schedule saved');
            },
          })
        }
        onCancel={onClose}
      />
    </Modal>
  );
}

function DeleteDialog({ schedule, onClose }: DialogProps) {
  const navigate = useNavigate();
  const remove = useDeleteSchedule(schedule.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={schedule.name === null ? 'Delete this schedule?' : `Delete ${schedule.name}?`}
      confirmLabel="Delete schedule"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            showDone('Schedule deleted');
            void navigate('/schedules', { replace: true });
          },
        })
      }
    >
      It starts no more runs. Runs that it has started stay, including queued ones. This can’t be undone.
    </ConfirmDialog>
  );
}
