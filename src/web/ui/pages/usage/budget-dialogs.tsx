import { Modal, Text } from '@mantine/core';
import { type Budget, useCreateBudget, useDeleteBudget, useUpdateBudget } from '../../api/budgets.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { useProjectOfNew } from '../../components/project-select.js';
import { viewersZone } from '../../components/schedule-words.js';
import { type BudgetDraft, draftOf, newBudgetOf, newDraft, termsOf } from './budget-draft.js';
import { BudgetForm } from './budget-form.js';

interface DialogProps {
  readonly onClose: () => void;
}

export function CreateBudgetDialog({ onClose }: DialogProps) {
  const create = useCreateBudget();
  const [keyFor, settle] = useSubmissionKey();
  const { projectId, field } = useProjectOfNew('budgets');
  const submit = (draft: BudgetDraft) => {
    const wanted = newBudgetOf(draft, projectId);
    if (wanted === null) return;
    create.mutate(
      { wanted, key: keyFor(wanted) },
      {
        onSuccess: ({ name }) => {
          settle();
          onClose();
          showDone(`Budget ${name} created`);
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} size="lg" title="New budget">
      <BudgetForm
        initial={newDraft(viewersZone())}
        submitLabel="Create budget"
        isNew
        isBusy={create.isPending}
        error={create.error}
        project={field}
        isComplete={(draft) => newBudgetOf(draft, projectId) !== null}
        onSubmit={submit}
        onCancel={onClose}
      />
    </Modal>
  );
}

export function EditBudgetDialog({ budget, onClose }: DialogProps & { readonly budget: Budget }) {
  const update = useUpdateBudget(budget.id);
  const submit = (draft: BudgetDraft) => {
    const terms = termsOf(draft);
    if (terms === null) return;
    update.mutate(terms, {
      onSuccess: ({ name }) => {
        onClose();
        showDone(`Budget ${name} saved`);
      },
    });
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={`Change ${budget.name}`}>
      <BudgetForm
        initial={draftOf(budget)}
        submitLabel="Save"
        isBusy={update.isPending}
        error={update.error}
        isComplete={(draft) => termsOf(draft) !== null}
        onSubmit={submit}
        onCancel={onClose}
      />
    </Modal>
  );
}

export function DeleteBudgetDialog({ budget, onClose }: DialogProps & { readonly budget: Budget }) {
  const remove = useDeleteBudget(budget.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${budget.name}?`}
      confirmLabel="Delete budget"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(`Budget ${budget.name} deleted`);
          },
        })
      }
    >
      <Text size="sm">
        This spend is no longer limited.
        {budget.pause_id !== null && ' Agents that it paused are resumed.'}
      </Text>
    </ConfirmDialog>
  );
}
