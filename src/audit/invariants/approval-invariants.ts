import { HELD_STATUSES } from '../../lifecycle/run-lifecycle.js';
import type { Invariant } from '../invariant.types.js';

const HELD = HELD_STATUSES.map((status) => `'${status}'`).join(', ');

/** Invariants of approvals and their decisions. */
export const APPROVAL_INVARIANTS: readonly Invariant[] = [
  {
    name: 'approvals-of-held-runs',
    sentence: 'Nobody is asked for a run that its runtime has no more.',
    statement: `SELECT approval.id FROM approvals AS approval JOIN runs AS run ON run.id = approval.run_id
      WHERE approval.state = 'pending' AND run.status NOT IN (${HELD})`,
  },
  {
    name: 'approvals-of-the-owner',
    sentence: "An approval belongs to its agent's project.",
    statement: `SELECT approval.id FROM approvals AS approval JOIN agents AS agent ON agent.id = approval.agent_id
      WHERE approval.project_id <> agent.user_id`,
  },
  {
    name: 'approvals-of-own-runs',
    sentence: "An approval's run is one of its agent.",
    statement: `SELECT approval.id FROM approvals AS approval JOIN runs AS run ON run.id = approval.run_id
      WHERE approval.agent_id <> run.agent_id`,
  },
  {
    name: 'approvals-are-decided-by-somebody',
    sentence: 'An approval has somebody who decided it if a person did, and only then.',
    statement: `SELECT id FROM approvals
      WHERE (decided_by IS NOT NULL) <> (state IN ('approved', 'edited', 'rejected', 'responded'))`,
  },
  {
    name: 'approvals-expire-in-time',
    sentence: 'An approval whose time is over is expired by the monitor of a running service.',
    statement: `SELECT id FROM approvals CROSS JOIN bounds
      WHERE state = 'pending' AND running_seconds > margin_seconds
        AND expires_at < now() - make_interval(secs => margin_seconds)`,
  },
];
