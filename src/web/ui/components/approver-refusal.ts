import type { Approval } from '../api/approvals.js';
import { useProject } from '../api/projects.js';
import { useRun } from '../api/runs.js';
import { useUser } from '../app/require-session.js';
import { approverRefusal } from './approval-words.js';

/** Finds out why the viewer may not be one of two people who approve. The run is read only where the project asks two. */
export function useApproverRefusal(approval: Approval): (withChanges: boolean) => string | null {
  const { run_id } = approval;
  const needsTwo = useProject(approval.project_id)?.two_approvers_for === approval.risk;
  const { data: run } = useRun(run_id ?? '', needsTwo && run_id !== null);
  const approver = { self: `user:${useUser().id}`, runActor: run?.actor, needsTwo };
  return (withChanges) => approverRefusal(approval, approver, withChanges);
}
