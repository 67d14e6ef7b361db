import { Tabs } from '@mantine/core';
import { IconRobotOff } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useParams, useSearchParams } from 'react-router';
import type { AgentDetail } from '@agent-control-plane/client';
import { useAgent } from '../../api/agents.js';
import { useFollowedProject } from '../../app/live-updates.js';
import { Connection } from '../../components/connection.js';
import { AgentLogs } from '../../components/agent-logs.js';
import { UsageCharts } from '../../components/lazy-charts.js';
import { NewScheduleButton } from '../../components/new-schedule-button.js';
import { OpenQuestions } from '../../components/open-questions.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { ProjectFact } from '../../components/project-name.js';
import { ResourcePage } from '../../components/resource-page.js';
import { RunList } from '../../components/run-list.js';
import { ScheduleList } from '../../components/schedule-list.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TextWithTimes } from '../../components/text-with-times.js';
import { AgentActivity } from './agent-activity.js';
import { AgentActions } from './agent-actions.js';
import { AgentCommands } from './agent-commands.js';
import { AgentConfiguration } from './agent-configuration.js';
import { AgentLabels } from './agent-labels.js';
import { AgentOverview } from './agent-overview.js';
import { AgentUsage } from './agent-usage.js';
import { RunButton } from './run-button.js';
import classes from './agent-page.module.css';

const TABS = [
  { value: 'overview', label: 'Overview' },
  { value: 'runs', label: 'Runs' },
  { value: 'schedules', label: 'Schedules' },
  { value: 'logs', label: 'Logs' },
  { value: 'usage', label: 'Usage' },
  { value: 'commands', label: 'Commands' },
  { value: 'configuration', label: 'Configuration' },
  { value: 'activity', label: 'Activity' },
];

const BACK = { to: '/agents', label: 'Agents' };

export function AgentPage() {
  const { id = '' } = useParams();
  return (
    <ResourcePage
      noun="Agent"
      back={BACK}
      query={useAgent(id)}
      missingIcon={IconRobotOff}
      missingReason="It may have been deleted, or belong to somebody else."
    >
      {(agent) => <Page key={id} agent={agent} />}
    </ResourcePage>
  );
}

function Page({ agent }: { readonly agent: AgentDetail }) {
  const [search, setSearch] = useSearchParams();
  useFollowedProject(agent.project_id);
  const tab = TABS.find(({ value }) => value === search.get('tab'))?.value ?? 'overview';
  return (
    <>
      <PageHeader title={agent.name} back={BACK} actions={<AgentActions agent={agent} />}>
        <Facts agent={agent} />
      </PageHeader>
      <OpenQuestions of={{ agent_id: agent.id }} inbox={`/approvals?agent=${agent.id}`} />
      <Tabs
        value={tab}
        onChange={(value) => setSearch(value === 'overview' ? {} : { tab: value ?? '' }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md" className={classes.tabs}>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="overview">
          <AgentOverview agent={agent} />
        </Tabs.Panel>
        <Tabs.Panel value="runs">
          <RunList agentId={agent.id} firstStep={<RunButton agent={agent} />} />
        </Tabs.Panel>
        <Tabs.Panel value="schedules">
          <ScheduleList
            agentId={agent.id}
            firstStep={<NewScheduleButton agent={agent} />}
            action={<NewScheduleButton agent={agent} />}
          />
        </Tabs.Panel>
        <Tabs.Panel value="logs">
          <AgentLogs agent={agent} />
        </Tabs.Panel>
        <Tabs.Panel value="usage">
          <AgentUsage agentId={agent.id} />
          <Suspense fallback={<Pending rows={2} height={230} />}>
            <UsageCharts basePath={`/api/dashboard/agents/${agent.id}`} agentId={agent.id} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="commands">
          <AgentCommands agent={agent} />
        </Tabs.Panel>
        <Tabs.Panel value="configuration">
          <AgentConfiguration agent={agent} />
        </Tabs.Panel>
        <Tabs.Panel value="activity">
          <AgentActivity agentId={agent.id} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** Health in one line, with its reason, and whose agent it is. */
function Facts({ agent }: { readonly agent: AgentDetail }) {
  return (
    <>
      <span className={classes.health}>
        <span role="status">
          <StatusBadge status={agent.health.state} />
        </span>
        <strong>
          <TextWithTimes text={agent.health.reason} />
        </strong>
        <span className={classes.connection}>
          <Connection agent={agent} />
        </span>
      </span>
      <ProjectFact id={agent.project_id} />
      <AgentLabels labels={agent.labels} />
    </>
  );
}
