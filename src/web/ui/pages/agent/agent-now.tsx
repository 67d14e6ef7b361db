import type { AgentDetail, Deployment, Run } from '@agent-control-plane/client';
import { useNewestRun } from '../../api/runs.js';
import { useSchedules } from '../../api/schedules.js';
import { useUsage } from '../../api/usage.js';
import { roundCostText, uncostedText } from '../../components/amounts.js';
import { Fact, FactLink, FactList } from '../../components/fact-list.js';
import { isActive, phaseOf } from '../../components/lifecycle.js';
import { ReplicaStrip } from '../../components/replica-strip.js';
import { statusWord } from '../../components/run-words.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { TODAY } from '../usage/usage-range.js';
import classes from './agent-overview.module.css';
import { nextDue } from './next-due.js';

/** Statuses of runs that have begun. */
const BEGUN: readonly Run['status'][] = [
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'abandoned',
];

/** The running replicas of the agent, its last and next run, and its spending today. */
export function AgentNow({ agent }: { readonly agent: AgentDetail }) {
  const active = agent.deployments.filter(isActive);
  return (
    <FactList label="Now">
      <Fact term={active.length > 1 ? `Runs, in ${active.length} deployments` : 'Runs'}>
        {active.length === 0 ? 'nothing' : active.map((it) => <Running key={it.id} deployment={it} />)}
      </Fact>
      <Fact term="Last run">
        <LastRun agentId={agent.id} />
      </Fact>
      <Fact term="Next run">
        <NextRun agentId={agent.id} />
      </Fact>
      <Fact term="Spent today">
        <SpentToday agentId={agent.id} />
      </Fact>
    </FactList>
  );
}

function Running({ deployment }: { readonly deployment: Deployment }) {
  const phase = phaseOf(deployment);
  return (
    <div className={classes.running}>
      <FactLink to={`/deployments/${deployment.id}`}>Version {deployment.config_version}</FactLink>
      {phase !== 'ready' && <StatusBadge status={phase} />}
      <ReplicaStrip deployment={deployment} />
    </div>
  );
}

function LastRun({ agentId }: { readonly agentId: string }) {
  const { data: run } = useNewestRun(agentId, BEGUN);
  if (run === undefined) return '…';
  return run === null ? 'none yet' : <RunLine run={run} />;
}

/** The run that waits, or else the next due time of a schedule. */
function NextRun({ agentId }: { readonly agentId: string }) {
  const { data: queued } = useNewestRun(agentId, ['queued']);
  const schedules = useSchedules({ is_active: 'true' }, agentId);
  if (queued) return <RunLine run={queued} />;
  if (queued === undefined || schedules.isPending) return '…';
  const next = nextDue(schedules.rows);
  if (next === null) return 'none planned';
  return (
    <FactLink to={`/schedules/${next.id}`}>
      <TimeAgo at={next.next_run_at} /> {next.name !== null && `(${next.name})`}
    </FactLink>
  );
}

function RunLine({ run }: { readonly run: Run }) {
  return (
    <span className={classes.running}>
      <StatusBadge status={run.status} label={statusWord(run.status)} />
      <FactLink to={`/runs/${run.id}`}>
        <TimeAgo at={run.ended_at ?? run.started_at ?? run.queued_at} />
      </FactLink>
    </span>
  );
}

function SpentToday({ agentId }: { readonly agentId: string }) {
  const { data } = useUsage({ group_by: 'agent', range: 'today', since: TODAY, agent_id: agentId });
  if (!data) return '…';
  const uncosted = uncostedText(data.total);
  return (
    <FactLink to={`/usage?agent=${agentId}&by=model`}>
      {roundCostText(data.total.cost_usd)}
      {uncosted && ` and ${uncosted}`}
    </FactLink>
  );
}
