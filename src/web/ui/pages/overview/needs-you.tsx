import { IconCircleCheck } from '@tabler/icons-react';
import type { Overview } from '@agent-control-plane/client';
import { counted } from '../../components/counted.js';
import { TimeAgo } from '../../components/time-ago.js';
import { Attention, type AttentionItem, type AttentionProps } from './attention.js';
import { eventLabel } from './event-label.js';
import { Recovered } from './recovered.js';
import { StrainedBudgets } from './strained-budgets.js';
import classes from './overview.module.css';

/** Statuses of the runs that are counted as failed. */
const UNSUCCESSFUL = 'failed,timed_out,abandoned';
/** The inbox has the others. */
const ASKING_SHOWN = 5;

/**
 * Items that wait for a person, the most urgent first. An agent that fails or is missed stands there alone; healthy
 * agents are left out.
 */
export function NeedsYou({ overview }: { readonly overview: Overview }) {
  const [first, ...others] = listsOf(overview);
  const isCalm =
    overview.strained_budget_count === 0 && [first!, ...others].every(({ total }) => total === 0);
  return (
    <section className={classes.column} aria-label="Needs you">
      <h2 className="visually-hidden">Needs you</h2>
      {isCalm && (
        <p className={classes.calm}>
          <IconCircleCheck size={20} aria-hidden /> Nothing needs you
        </p>
      )}
      {[first!, ...others.slice(0, 2)].map((list) => (
        <Attention key={list.title} {...list} />
      ))}
      <StrainedBudgets total={overview.strained_budget_count} budgets={overview.strained_budgets} />
      {others.slice(2).map((list) => (
        <Attention key={list.title} {...list} />
      ))}
      <Recovered recovered={overview.recovered} failedRuns={`/runs?status=${UNSUCCESSFUL}&range=24h`} />
    </section>
  );
}

function listsOf(overview: Overview): readonly AttentionProps[] {
  return [
    {
      title: 'Approvals waiting',
      tone: 'warn',
      total: overview.pending_approvals,
      to: '/approvals',
      items: overview.agents_with_pending_approvals.slice(0, ASKING_SHOWN).map((agent) => ({
        key: agent.agent_id,
        to: `/approvals?agent=${agent.agent_id}`,
        name: agent.agent_name,
        count: counted(agent.approvals, 'question'),
        standsFor: agent.approvals,
        at: <TimeAgo at={agent.at} />,
      })),
    },
    {
      title: 'Failing now',
      tone: 'bad',
      total: overview.agents_by_health.failing ?? 0,
      to: '/agents?health=failing',
      items: overview.failing_agents.map((agent) => ({
        key: agent.agent_id,
        to:
          agent.deployment_id === null ? `/agents/${agent.agent_id}` : `/deployments/${agent.deployment_id}`,
        name: agent.agent_name,
        text: agent.error,
        count: timesOf(agent),
        at: agent.failed_at && <TimeAgo at={agent.failed_at} />,
      })),
    },
    {
      title: 'Agents with failing runs',
      tone: 'bad',
      total: overview.agents_whose_runs_fail,
      to: `/runs?status=${UNSUCCESSFUL}&range=24h`,
      items: overview.agents_with_failed_runs.map((agent) => ({
        ...runsOf(agent, `${UNSUCCESSFUL}&range=24h`),
        ...(agent.error !== null && { text: agent.error }),
      })),
    },
    {
      title: 'Refused by a quota until midnight, UTC',
      tone: 'warn',
      total: overview.exceeded_quota_count,
      to: '/audit',
      items: overview.exceeded_quotas.map((quota) => ({
        key: `${quota.agent_id ?? quota.project_id} ${quota.kind}`,
        to: quota.agent_id === null ? `/projects/${quota.project_id}` : `/agents/${quota.agent_id}`,
        name: quota.agent_name ?? 'All agents of the project',
        text: eventLabel(quota.kind),
        at: <TimeAgo at={quota.refused_since} />,
      })),
    },
    {
      title: 'Agents that stopped sending heartbeats',
      tone: 'warn',
      total: overview.silent_agent_count,
      to: '/agents?connection=offline&health=offline&sort=-last_heartbeat',
      items: overview.silent_agents.map((agent) => ({
        key: agent.agent_id,
        to: `/agents/${agent.agent_id}`,
        name: agent.agent_name,
        at: <TimeAgo at={agent.last_seen_at} />,
      })),
    },
    {
      title: 'Agents whose runs have waited for more than ten minutes',
      tone: 'warn',
      total: overview.agents_whose_runs_wait,
      to: '/runs?status=queued',
      items: overview.agents_with_waiting_runs.map((agent) => runsOf(agent, 'queued')),
    },
    {
      title: 'Commands waiting for more than a minute',
      tone: 'warn',
      total: overview.waiting_commands,
      to: '/deployments?waiting=true',
      items: overview.oldest_waiting_commands.map((command) => ({
        key: command.command_id,
        to: `/deployments/${command.deployment_id}?tab=commands`,
        name: command.agent_name,
        text: eventLabel(command.action),
        at: <TimeAgo at={command.created_at} />,
      })),
    },
    {
      title: 'Agents with an outdated runtime',
      tone: 'warn',
      total: overview.outdated_agent_count,
      to: '/agents?outdated=true',
      items: [],
    },
    {
      title: 'Failing webhooks',
      tone: 'bad',
      total: overview.failing_webhooks.length,
      to: '/webhooks',
      items: overview.failing_webhooks.map((webhook) => ({
        key: webhook.webhook_id,
        to: `/webhooks/${webhook.webhook_id}`,
        name: webhook.url,
        text: webhook.error_message ?? 'Failing',
        at: <TimeAgo at={webhook.failing_since} />,
      })),
    },
  ];
}

/** How often it went wrong: restarts, failures and runs, as far as there are any. */
function timesOf({ restarts, failures, failed_runs }: Overview['failing_agents'][number]): string {
  return [
    restarts > 0 && counted(restarts, 'restart'),
    failures > 1 && counted(failures, 'failure'),
    failed_runs > 0 && counted(failed_runs, 'failed run'),
  ]
    .filter((text) => text !== false)
    .join(', ');
}

function runsOf(
  { agent_id, agent_name, runs, at }: Overview['agents_with_waiting_runs'][number],
  status: string,
): AttentionItem {
  return {
    key: agent_id,
    to: `/runs?agent=${agent_id}&status=${status}`,
    name: agent_name,
    count: counted(runs, 'run'),
    at: <TimeAgo at={at} />,
  };
}
