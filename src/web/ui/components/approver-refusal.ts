import type { Approval } from '../api/approvals.js';
import { useProject } from '../api/projects.js';
import { useUser } from '../app/require-session.js';
import { approverRefusal } from './approval-words.js';

/** Finds out why the viewer may not be one of two people who approve. */
export function useApproverRefusal(approval: Approval): (withChanges: boolean) => string | null {
  const needsTwo = useProject(approval.project_id)?.two_approvers_for === approval.risk;
  const approver = { self: `user:${useUser().id}`, needsTwo };
  return (withChanges) => approverRefusal(approval, approver, withChanges);
}
