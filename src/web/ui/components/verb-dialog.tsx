import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Agent } from '@agent-control-plane/client';
import { showDone } from './announce.js';
import type { BulkAction } from './bulk-dialog.js';
import { ConfirmDialog } from './confirm-dialog.js';
import { useRefusals } from './required-role.js';

export interface AskedVerb {
  readonly verb: BulkAction;
  readonly agent: Pick<Agent, 'id' | 'name' | 'project_id'>;
}

/** Asks before an action on one agent, and says why the user's role does not allow it. */
export function VerbDialog({ asked, onClose }: { readonly asked: AskedVerb; readonly onClose: () => void }) {
  const { verb, agent } = asked;
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: () => verb.run(agent.id),
    onSuccess: () => {
      onClose();
      showDone(`${verb.label} accepted for ${agent.name}`);
      void client.invalidateQueries();
    },
  });
  const refusal = useRefusals()(agent.project_id, verb.scope, verb);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${verb.label} ${agent.name}?`}
      confirmLabel={`${verb.label} agent`}
      isDestructive={verb.isDestructive === true}
      isBusy={act.isPending}
      isDisabled={refusal !== null}
      error={act.error}
      onConfirm={() => act.mutate()}
    >
      {refusal === null ? verb.description : `${refusal}.`}
    </ConfirmDialog>
  );
}
