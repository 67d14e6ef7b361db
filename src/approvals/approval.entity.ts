import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';
import type { ApprovalDecision, ApprovalState } from '../lifecycle/approval-lifecycle.js';
import type { Risk } from './approval.types.js';

/** An action that an agent asks people about before it acts. */
@Entity('approvals')
@Index('approvals_agent_id_approval_key_idx', ['agentId', 'approvalKey'], { unique: true })
@Index('approvals_project_id_decided_id_idx', { synchronize: false })
@Index('approvals_agent_id_requested_at_idx', ['agentId', 'requestedAt'])
@Index('approvals_run_id_idx', ['runId'])
@Index('approvals_pending_project_id_id_idx', ['projectId', 'id'], { where: "state = 'pending'" })
@Index('approvals_pending_agent_id_idx', ['agentId'], { where: "state = 'pending'" })
@Index('approvals_pending_expires_at_idx', ['expiresAt'], { where: "state = 'pending'" })
@Index('approvals_open_agent_id_id_idx', ['agentId', 'id'], {
  where: "fetched_at IS NULL AND state <> 'withdrawn'",
})
@Index('approvals_decided_at_idx', ['decidedAt'], { where: 'decided_at IS NOT NULL' })
@Check('approvals_risk_check', "risk IN ('low', 'medium', 'high')")
@Check(
  'approvals_state_check',
  "state IN ('pending', 'approved', 'edited', 'rejected', 'responded', 'expired', 'withdrawn')",
)
@Check('approvals_decided_check', "(state = 'pending') = (decided_at IS NULL)")
@Check('approvals_fetched_check', 'fetched_at IS NULL OR decided_at IS NOT NULL')
export class ApprovalEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'approvals_pkey' })
  id: string;

  /** The agent's project, repeated here so that tenancy is in every WHERE without a join. */
  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('uuid', { name: 'agent_id' })
  @ForeignKey('AgentEntity', { name: 'approvals_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** Null: it belongs to no run, or the run was removed. */
  @Column('uuid', { name: 'run_id', nullable: true })
  @ForeignKey('RunEntity', { name: 'approvals_run_id_fkey', onDelete: 'SET NULL' })
  runId: string | null;

  /** The agent's own word for the question. */
  @Column('text', { name: 'approval_key' })
  approvalKey: string;

  @Column('text')
  title: string;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text', { name: 'action_name' })
  actionName: string;

  @Column('jsonb', { nullable: true })
  args: unknown;

  /** SHA-256 of the arguments in the canonical form of RFC 8785, in hexadecimal. */
  @Column('text', { name: 'args_sha256' })
  argsSha256: string;

  @Column('text')
  risk: Risk;

  @Column('text', { name: 'allowed_decisions', array: true })
  allowedDecisions: ApprovalDecision[];

  @Column('text', { default: 'pending' })
  state: ApprovalState;

  /** The first of two people who have to approve it; null: nobody has, or one is enough. */
  @Column('text', { name: 'first_approved_by', nullable: true })
  firstApprovedBy: string | null;

  @Column('text', { name: 'decided_by', nullable: true })
  decidedBy: string | null;

  @Column('text', { nullable: true })
  reason: string | null;

  /** While it is pending: what the first of two people proposes. */
  @Column('jsonb', { name: 'edited_args', nullable: true })
  editedArgs: unknown;

  @Column('text', { nullable: true })
  response: string | null;

  @TimestampColumn({ name: 'requested_at', default: () => 'now()' })
  requestedAt: string;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: string;

  @TimestampColumn({ name: 'decided_at', nullable: true })
  decidedAt: string | null;

  /** When its agent got the answer. */
  @TimestampColumn({ name: 'fetched_at', nullable: true })
  fetchedAt: string | null;

  /** Read with each row, and no column of the table. */
  agentName: string;
}
