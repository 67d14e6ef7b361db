import { Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { AgentDetail } from '@agent-control-plane/client';
import { type ScheduleTerms, useCreateSchedule } from '../api/schedules.js';
import { useSubmissionKey } from '../api/submission-key.js';
import { AgentSelect } from './agent-select.js';
import { showDone } from './announce.js';
import { GuardedButton } from './guarded-button.js';
import { useRefusals } from './required-role.js';
import { newDraft } from './schedule-draft.js';
import { ScheduleForm } from './schedule-form.js';
import { viewersZone } from './schedule-words.js';

export interface NewScheduleButtonProps {
  /** Absent: it is chosen in the form. */
  readonly agent?: AgentDetail;
}

/** Makes a schedule, and opens its page. */
export function NewScheduleButton({ agent }: NewScheduleButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const refusal = useRefusals()(agent?.project_id, 'deploy');
  return (
    <>
      <GuardedButton leftSection={<IconPlus size={16} aria-hidden />} refusal={refusal} onClick={dialog.open}>
        New schedule
      </GuardedButton>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        size="lg"
        title={agent ? `New schedule for ${agent.name}` : 'New schedule'}
      >
        <NewSchedule {...(agent && { agentId: agent.id })} onClose={dialog.close} />
      </Modal>
    </>
  );
}

interface NewScheduleProps {
  readonly agentId?: string;
  readonly onClose: () => void;
}

function NewSchedule({ agentId: given, onClose }: NewScheduleProps) {
  const [chosen, choose] = useState<string | null>(null);
  const create = useCreateSchedule();
  const navigate = useNavigate();
  const [keyFor, settle] = useSubmissionKey();
  const agentId = given ?? chosen;
  const submit = (terms: ScheduleTerms) => {
    if (agentId === null) return;
    create.mutate(
      { agentId, terms, key: keyFor({ agentId, terms }) },
      {
        onSuccess: ({ id }) => {
          settle();
          onClose();
          showDone('Schedule created');
          void navigate(`/schedules/${id}`);
        },
      },
    );
  };
  return (
    <ScheduleForm
      initial={newDraft(viewersZone())}
      submitLabel="Create schedule"
      isBusy={create.isPending}
      error={create.error}
      {...(given === undefined && {
        agent: <AgentSelect label="Agent" required value={chosen} onChange={choose} />,
      })}
      isIncomplete={agentId === null}
      onSubmit={submit}
      onCancel={onClose}
    />
  );
}
