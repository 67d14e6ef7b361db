import { Button, MultiSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { type NamedAgent, useAgentNames } from '../../api/agent-names.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import type { LogQuery } from '../../components/log-filter.js';
import { type LogPaths, LogViewer } from '../../components/log-viewer.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';

/** Most agents that can be chosen, and that one stream follows; more are read every few seconds. */
const MOST_FOLLOWED = 100;
const TYPING_MS = 500;

/** The logs of several agents, merged. The choice is in the address. */
export function LogsPage() {
  const names = useAgentNames();
  return (
    <>
      <PageHeader title="Logs">
        <span>What your agents log, merged, as it happens.</span>
      </PageHeader>
      {names.error && !names.data && (
        <ErrorNotice
          error={names.error}
          title="The agents can’t be read"
          onRetry={() => void names.refetch()}
        />
      )}
      {names.isPending && <Pending rows={8} />}
      {names.data?.length === 0 && (
        <EmptyState
          icon={IconRobot}
          title="No agents yet"
          action={
            <Button component={Link} to="/agents/new" leftSection={<IconPlus size={16} aria-hidden />}>
              New agent
            </Button>
          }
        >
          The logs of your agents are shown here.
        </EmptyState>
      )}
      {names.data && names.data.length > 0 && <MergedLogs agents={names.data} />}
    </>
  );
}

function MergedLogs({ agents }: { readonly agents: readonly NamedAgent[] }) {
  const [search, setSearch] = useSearchParams();
  const chosen = search.getAll('agent').slice(0, MOST_FOLLOWED);
  const label = search.get('label') ?? '';
  const agentNames = useMemo(() => new Map(agents.map(({ id, name }) => [id, name])), [agents]);
  const change = (name: 'agent' | 'label', values: readonly string[]) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now);
        next.delete(name);
        for (const value of values) if (value !== '') next.append(name, value);
        return next;
      },
      { replace: true },
    );
  const followed = label === '' ? (chosen.length > 0 ? chosen : agents.map(({ id }) => id)) : [];
  return (
    <LogViewer agentNames={agentNames} pathsOf={(query) => pathsOf(query, chosen, label, followed)}>
      <MultiSelect
        size="xs"
        flex="1 1 9rem"
        miw="9rem"
        maw="24rem"
        aria-label="Agents"
        placeholder={chosen.length === 0 ? 'All agents' : undefined}
        searchable
        clearable
        limit={100}
        maxValues={MOST_FOLLOWED}
        nothingFoundMessage="No agent has this name"
        data={agents.map(({ id, name }) => ({ value: id, label: name }))}
        value={chosen}
        onChange={(ids) => change('agent', ids)}
      />
      <LabelFilter value={label} onChange={(text) => change('label', [text])} />
    </LogViewer>
  );
}

const canFollow = ({ length }: readonly string[]) => length > 0 && length <= MOST_FOLLOWED;

/** @param followed agents of the stream; none or too many: there is no stream */
function pathsOf(
  query: LogQuery,
  chosen: readonly string[],
  label: string,
  followed: readonly string[],
): LogPaths {
  const { since, until, ...rest } = query;
  const pathOf = (path: string, agentIds: readonly string[], more: object) => {
    const search = new URLSearchParams(Object.entries({ ...rest, ...more }).filter(([, value]) => value));
    for (const id of agentIds) search.append('agent_id', id);
    return `${path}?${search.toString()}`;
  };
  return {
    historyPath: pathOf('/api/dashboard/logs', chosen, { since, until, label }),
    streamPath: canFollow(followed) ? pathOf('/api/dashboard/logs/stream', followed, {}) : null,
  };
}

interface LabelFilterProps {
  readonly value: string;
  readonly onChange: (label: string) => void;
}

/** A label as `key:value`; half of one is no filter yet. */
function LabelFilter({ value, onChange }: LabelFilterProps) {
  const [text, setText] = useState(value);
  const report = useDebouncedCallback((typed: string) => {
    if (typed === '' || /^[^:]+:/.test(typed)) onChange(typed);
  }, TYPING_MS);
  return (
    <TextInput
      size="xs"
      flex="1 1 9rem"
      maw={170}
      aria-label="Label"
      placeholder="Label, as key:value"
      maxLength={193}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        report(event.currentTarget.value.trim());
      }}
    />
  );
}
