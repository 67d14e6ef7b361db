import { RELATIONS } from '../../src/audit/invariants/relation-invariants.js';

const LINKED = 'SELECT chain_audit_entries(1000)';

/** SQL that violates exactly one invariant without the service, by the invariant that must report it. */
export const VIOLATIONS: Readonly<Record<string, string>> = {
  'history-without-gaps': `DELETE FROM deployment_events WHERE sequence = 2`,
  'history-from-the-first': `DELETE FROM deployment_events WHERE sequence = 1`,
  'history-of-legal-steps': `UPDATE deployment_events SET event_type = 'degraded' WHERE event_type = 'stop'`,
  'history-of-earned-recoveries': `UPDATE deployment_events SET event_type = 'recovered' WHERE event_type = 'scale'`,
  'history-leads-to-status': `UPDATE deployments SET status = 'ready' WHERE status = 'running'`,
  'history-leads-to-failure-cause': `UPDATE deployments SET failure_cause = 'stalled'`,
  'history-leads-to-generation': `UPDATE deployments SET generation = generation + 1`,
  'deployments-end-once': `UPDATE deployments SET ended_at = now() WHERE status = 'running'`,
  'history-of-the-agent': `UPDATE deployment_events SET agent_id = make_uuidv7()`,
  'project-events-without-gaps': `DELETE FROM deployment_events WHERE user_sequence = 3`,
  'project-events-from-the-first': `DELETE FROM deployment_events WHERE user_sequence = 1`,
  'project-events-counted': `UPDATE user_event_counters SET last_sequence = last_sequence + 1`,
  'project-events-get-their-numbers': `UPDATE deployment_events
    SET user_sequence = NULL, created_at = now() - interval '2 hours' WHERE user_sequence > 3`,
  'new-agents-have-no-deployment': `UPDATE agents SET status = 'creating' WHERE name = 'whole life'`,
  'failed-agents-deploy-nothing': `UPDATE agents SET status = 'failed';
    UPDATE deployments SET status = 'deploying'`,
  'stopped-agents-run-nothing': `UPDATE agents SET status = 'stopped' WHERE name = 'whole life'`,
  'removed-agents-leave-nothing-in-force': `UPDATE agents SET status = 'deleting' WHERE name = 'whole life'`,
  'configs-without-gaps': `DELETE FROM agent_configs`,
  'deployments-have-their-config': `UPDATE deployments SET config_version = 4711`,
  'replacements-happen-once': `UPDATE deployments SET status = 'ready', replaces = 'active'`,
  'removals-end': `UPDATE agents SET status = 'deleting', updated_at = now() - interval '2 days'`,
  'agents-have-a-presence': `DELETE FROM agent_presence`,
  'searches-find-agents': `UPDATE agent_search SET terms = array_append(terms, 'label:a:b')`,
  'copies-of-the-workload': `UPDATE agent_presence SET workload = 'lost'`,
  'commands-in-one-state': `UPDATE commands SET acknowledged_at = NULL WHERE state = 'succeeded'`,
  'commands-in-order': `UPDATE commands SET state = 'leased', attempts = 1, leased_at = now(),
    leased_until = now() WHERE state = 'pending'`,
  'commands-taken-up': `UPDATE commands SET created_at = created_at - interval '2 hours',
      settled_at = settled_at - interval '2 hours', leased_until = leased_until - interval '2 hours';
    INSERT INTO commands SELECT (jsonb_populate_record(NULL::commands, to_jsonb(command) || jsonb_build_object(
      'id', make_uuidv7(), 'deployment_id', make_uuidv7(), 'leased_at', now()))).* FROM commands AS command WHERE state = 'leased'`,
  'commands-given-up-in-time': `UPDATE commands SET attempts = 5, leased_until = now() - interval '1 day'
    WHERE state = 'leased'`,
  'commands-of-their-deployment': `UPDATE commands SET agent_id = make_uuidv7()`,
  'commands-of-their-step': `UPDATE commands SET action = 'kill' WHERE action = 'deploy'`,
  'paused-agents-are-held': `DELETE FROM agent_pauses`,
  'paused-agents-are-shown': `UPDATE agents SET workload = 'ready' WHERE paused_at IS NOT NULL`,
  'deployments-are-held-with-their-agent': `UPDATE deployments SET is_held = NOT is_held`,
  'nothing-is-withheld': `DELETE FROM commands WHERE settled_at IS NULL`,
  'open-pauses-hold-agents': `UPDATE pauses SET ended_at = now()`,
  'pauses-are-carried-out-in-time': `UPDATE pauses SET is_settled = false, created_at = now() - interval '1 day',
    ended_at = ended_at - interval '1 day'`,
  'pauses-of-the-owner': `UPDATE pauses SET project_id = make_uuidv7()`,
  'approvals-of-held-runs': `UPDATE approvals SET state = 'pending', decided_at = NULL, fetched_at = NULL`,
  'approvals-of-the-owner': `UPDATE approvals SET project_id = make_uuidv7()`,
  'approvals-of-own-runs': `UPDATE approvals SET agent_id = (SELECT id FROM agents WHERE name = 'whole life')`,
  'approvals-are-decided-by-somebody': `UPDATE approvals SET decided_by = NULL`,
  'approvals-expire-in-time': `UPDATE approvals SET expires_at = now() - interval '1 day'`,
  'runs-without-gaps': `DELETE FROM run_events WHERE sequence = 2`,
  'runs-of-legal-steps': `UPDATE run_events SET event_type = 'resumed' WHERE event_type = 'started'`,
  'runs-lead-to-status': `UPDATE run_events SET attempt = attempt + 1`,
  'runs-of-the-owner': `UPDATE runs SET project_id = make_uuidv7()`,
  'log-lines-are-counted': `UPDATE agent_log_positions SET last_position = 0`,
  'logs-of-own-runs': `UPDATE agent_logs SET agent_id = make_uuidv7(), run_id = (SELECT id FROM runs LIMIT 1)`,
  'runs-of-schedules': `UPDATE runs SET schedule_id = make_uuidv7() WHERE source = 'api'`,
  'schedules-of-the-owner': `UPDATE schedules SET project_id = make_uuidv7()`,
  'schedules-in-time': `UPDATE schedules SET next_run_at = now() - interval '1 day'`,
  'runs-end-in-time': `UPDATE runs SET timeout_at = now() - interval '1 day' WHERE status = 'running'`,
  'usage-of-days': `UPDATE usage_daily SET input_tokens = input_tokens + 1`,
  'usage-of-weeks': `UPDATE usage_weekly SET input_tokens = input_tokens + 1`,
  'usage-of-projects': `UPDATE project_usage SET input_tokens = input_tokens + 1`,
  'times-of-days': `INSERT INTO run_time_daily (project_id, agent_id, day, run_ms)
    VALUES (make_uuidv7(), make_uuidv7(), (now() AT TIME ZONE 'UTC')::date, 1)`,
  'usage-is-never-negative': `UPDATE usage_daily SET output_tokens = -1;
    UPDATE usage_hourly SET output_tokens = -1`,
  'spans-of-own-runs': `UPDATE agent_spans SET agent_id = make_uuidv7()`,
  'loops-are-told': `UPDATE run_tool_calls SET told_at = NULL, last_called_at = now() - interval '1 day'`,
  'deliveries-in-one-state': `ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_pending_check;
    UPDATE webhook_deliveries SET next_attempt_at = now()`,
  'deliveries-attempted': `UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = now() - interval '1 day'`,
  'deliveries-released': `UPDATE webhook_deliveries
    SET status = 'pending', is_leased = true, next_attempt_at = now() - interval '1 day'`,
  'deliveries-cancelled': `UPDATE webhooks SET is_active = false;
    UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = now() - interval '1 day'`,
  'deployments-of-the-owner': `UPDATE deployments SET user_id = make_uuidv7()`,
  'copies-of-the-owner': `UPDATE agent_presence SET user_id = make_uuidv7()`,
  'keys-of-the-owner': `UPDATE api_keys SET user_id = make_uuidv7()`,
  'accounts-own-their-project': `UPDATE project_members SET role = 'viewer'`,
  'personal-projects-are-alone': `INSERT INTO project_members (user_id, project_id, source, role)
    SELECT make_uuidv7(), id, 'direct', 'viewer' FROM users`,
  'shared-projects-have-an-owner': `INSERT INTO projects (id, name, is_personal, created_by)
    VALUES (make_uuidv7(), 'shared', false, make_uuidv7())`,
  'deleted-projects-have-nothing': `UPDATE projects SET deleted_at = now()`,
  'groups-give-their-role': `UPDATE project_groups SET role = 'owner'`,
  'somebody-is-operator': `UPDATE users SET is_active = false WHERE is_admin`,
  'sessions-expire': `UPDATE sessions SET expires_at = now() - interval '2 days'`,
  'memberships-by-groups-expire': `UPDATE project_members SET expires_at = now() - interval '2 days'
    WHERE source = 'group'`,
  'password-links-expire': `UPDATE password_links SET expires_at = now() - interval '2 days'`,
  'unconfirmed-factors-expire': `UPDATE second_factors SET expires_at = now() - interval '2 days'`,
  'factor-challenges-expire': `UPDATE factor_challenges SET expires_at = now() - interval '2 days'`,
  'second-factors-are-known': `DELETE FROM second_factors`,
  'recovery-codes-go-with-factors': `UPDATE users SET has_second_factor = false`,
  'sessions-of-active-users': `UPDATE users SET is_active = false`,
  'idempotency-records-expire': `UPDATE idempotency_records SET expires_at = now() - interval '2 days'`,
  'telemetry-batches-expire': `UPDATE telemetry_batches SET expires_at = now() - interval '2 days'`,
  'audit-chain-is-whole': `${LINKED}; DELETE FROM audit_chain WHERE number = 2`,
  'audit-chain-is-true': `${LINKED}; UPDATE audit_log SET actor = 'nobody'`,
  'audit-erasures-are-recorded': `UPDATE audit_log SET erased_hash = audit_personal_hash(audit_log) WHERE action = 'agent.create'`,
  'audit-unproven-erasures-are-old': `INSERT INTO audit_log (id, at, actor, action, target_type, outcome, details, erased_hash)
    VALUES (rpad(lpad(to_hex((extract(epoch FROM now() + interval '1 day') * 1000)::bigint), 12, '0'), 32, '0')::uuid,
      now(), 'service', 'user.update', 'user', 'success', '{}', '')`,
  'audit-entries-are-kept': `${LINKED}; DELETE FROM audit_log WHERE action = 'agent.create'`,
  'audit-entries-are-linked': `${LINKED};
    INSERT INTO audit_log (id, at, actor, action, target_type, outcome, details)
    VALUES (rpad(lpad(to_hex((extract(epoch FROM now() - interval '2 hours') * 1000)::bigint), 12, '0'), 32, '0')::uuid,
      now(), 'service', 'user.update', 'user', 'success', '{}')`,
  'newsletter-is-counted': `UPDATE newsletter_size SET subscribers = subscribers + 1`,
  ...Object.fromEntries(
    RELATIONS.map(({ table, column }) => [
      `${table}-${column}-exists`.replaceAll('_', '-'),
      `UPDATE ${table} SET ${column} = make_uuidv7()`,
    ]),
  ),
};
