import { Stack, Tabs, Text } from '@mantine/core';
import { IconAlertTriangle, IconHourglass, IconListCheck, IconPlayerStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import type { Run } from '@agent-control-plane/client';
import { useFollowedRun } from '../../api/run-stream.js';
import { isOpen } from '../../api/run-status.js';
import { useRun } from '../../api/runs.js';
import { RunLogs } from '../../components/agent-logs.js';
import { EntityId } from '../../components/entity-id.js';
import { JsonView } from '../../components/json-view.js';
import { Notice } from '../../components/notice.js';
import { OpenQuestions } from '../../components/open-questions.js';
import { PageHeader } from '../../components/page-header.js';
import { ProjectFact } from '../../components/project-name.js';
import { ResourcePage } from '../../components/resource-page.js';
import { statusWord } from '../../components/run-words.js';
import { shortId } from '../../components/short-id.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TextWithTimes } from '../../components/text-with-times.js';
import { TimeAgo } from '../../components/time-ago.js';
import { UsageFacts } from '../../components/usage-facts.js';
import { RunActions } from './run-actions.js';
import { RunFacts } from './run-facts.js';
import { RunModels } from './run-models.js';
import { RunProgress } from './run-progress.js';
import { RunSpans } from './run-spans.js';
import { RunTimeline } from './run-timeline.js';
import classes from './run-page.module.css';

const BACK = { to: '/runs', label: 'Runs' };

export function RunPage() {
  const { id = '' } = useParams();
  return (
    <ResourcePage
      noun="Run"
      back={BACK}
      query={useRun(id)}
      missingIcon={IconListCheck}
      missingReason="It may have ended long ago, or its agent was deleted."
    >
      {(run) => <Loaded key={id} run={run} />}
    </ResourcePage>
  );
}

function Loaded({ run }: { readonly run: Run }) {
  const isShort = useTab()[0] !== 'timeline';
  return (
    <>
      <PageHeader
        title={run.name ?? `Run ${shortId(run.id)}`}
        back={BACK}
        badge={
          <span role="status">
            <StatusBadge status={run.status} label={statusWord(run.status)} />
          </span>
        }
        actions={<RunActions run={run} />}
      >
        <span>
          Agent{' '}
          <Link to={`/agents/${run.agent_id}?tab=runs`} className={classes.link}>
            {run.agent_name}
          </Link>
        </span>
        <ProjectFact id={run.project_id} />
        <EntityId id={run.id} what="run id" />
      </PageHeader>
      <div className={classes.page}>
        <Notices run={run} />
        <OpenQuestions
          of={{ run_id: run.id }}
          inbox={`/approvals?agent=${run.agent_id}`}
          isWanted={isOpen(run)}
        />
        <RunProgress run={run} />
        <div className={classes.facts} data-is-short={isShort}>
          <RunFacts run={run} />
        </div>
        {run.usage !== null && (
          <Stack className={classes.facts} data-is-short={isShort}>
            <UsageFacts usage={run.usage} />
            <RunModels run={run} />
          </Stack>
        )}
        <div className={classes.values} data-is-short={isShort}>
          <Section title="Input">
            <Value value={run.input} what="input" absent="It has no input." />
          </Section>
          <Section title="Output">
            <Value
              value={run.output}
              what="output"
              absent={
                isOpen(run)
                  ? 'None yet: the agent reports it when the run ends.'
                  : 'The run ended without output.'
              }
            />
          </Section>
        </div>
        <History run={run} />
      </div>
    </>
  );
}

const TABS = ['timeline', 'spans', 'logs'] as const;

/** The selected tab, which is in the page's address, and a function that selects another one. */
function useTab(): [(typeof TABS)[number], (tab: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const select = (tab: string | null) =>
    setSearch(tab === null || tab === 'timeline' ? {} : { tab }, { replace: true });
  return [TABS.find((tab) => tab === search.get('tab')) ?? 'timeline', select];
}

/** The steps, the spans and the log of the run. */
function History({ run }: { readonly run: Run }) {
  const log = useFollowedRun(run);
  const [tab, select] = useTab();
  return (
    <Tabs value={tab} onChange={select} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
        <Tabs.Tab value="spans">Spans</Tabs.Tab>
        <Tabs.Tab value="logs">Logs</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="timeline">
        <RunTimeline runId={run.id} />
      </Tabs.Panel>
      <Tabs.Panel value="spans">
        <RunSpans run={run} />
      </Tabs.Panel>
      <Tabs.Panel value="logs">
        <RunLogs runId={run.id} stream={log} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** Why it waits, that it is to end, and why it failed. */
function Notices({ run }: { readonly run: Run }) {
  const isToEnd = isOpen(run) && run.cancel_requested_at !== null;
  return (
    <>
      {run.waiting_reason !== null && isOpen(run) && (
        <Notice role="status" tone="warn" icon={IconHourglass} title="Why it waits">
          <Text size="sm">
            <TextWithTimes text={run.waiting_reason} />
          </Text>
        </Notice>
      )}
      {isToEnd && (
        <Notice role="status" tone="busy" icon={IconPlayerStop} title="The agent is told to cancel it">
          <Text size="sm">
            Somebody cancelled it <TimeAgo at={run.cancel_requested_at} />. If it still succeeds, the success
            counts.
          </Text>
        </Notice>
      )}
      {run.error !== null && (
        <Notice
          role="status"
          tone={run.status === 'cancelled' ? 'warn' : 'bad'}
          icon={run.status === 'cancelled' ? IconPlayerStop : IconAlertTriangle}
          title={titleOfError(run)}
        >
          {/* focusable, so that it can be scrolled by keyboard */}
          <p className={classes.error} tabIndex={0} role="group" aria-label="Error message">
            {run.error}
          </p>
        </Notice>
      )}
    </>
  );
}

function titleOfError(run: Run): string {
  if (run.status === 'cancelled') return 'Why it was cancelled';
  return isOpen(run) ? 'Why the last attempt failed' : 'Why it failed';
}

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

function Section({ title, children }: SectionProps) {
  return (
    <section className={classes.section}>
      <h2 className={classes.title}>{title}</h2>
      {children}
    </section>
  );
}

interface ValueProps {
  readonly value: unknown;
  readonly what: string;
  readonly absent: string;
}

function Value({ value, what, absent }: ValueProps) {
  if (value !== null) return <JsonView value={value} what={what} />;
  return (
    <Text size="sm" c="dimmed">
      {absent}
    </Text>
  );
}
