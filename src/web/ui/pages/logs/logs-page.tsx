import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconRobot } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { useFoundAgents, useNamedAgents } from '../../api/agent-names.js';
import { AgentMultiSelect } from '../../components/agent-select.js';
import { EmptyState } from '../../components/empty-state.js';
import type { LogQuery } from '../../components/log-filter.js';
import { type LogPaths, LogViewer } from '../../components/log-viewer.js';
import { NewAgentButton } from '../../components/new-agent-button.js';
import { PageHeader } from '../../components/page-header.js';

/** Maximum number of agents in the choice and in one stream; logs of more agents are read every few seconds. */
const MOST_FOLLOWED = 100;
const TYPING_MS = 500;

/** The merged logs of several agents. The choice is in the address. */
export function LogsPage() {
  return (
    <>
      <PageHeader title="Logs">
        <span>Live logs of all your agents.</span>
      </PageHeader>
      <MergedLogs />
    </>
  );
}

function NoAgents() {
  return (
    <EmptyState icon={IconRobot} title="No agents yet" action={<NewAgentButton />}>
      Logs of your agents appear here.
    </EmptyState>
  );
}

function MergedLogs() {
  const [search, setSearch] = useSearchParams();
  const chosen = [...new Set(search.getAll('agent'))].filter((id) => id !== '').slice(0, MOST_FOLLOWED);
  const label = search.get('label') ?? '';
  const project_id = useChosenProjectId();
  const isOfAll = chosen.length === 0 && label === '';
  // The lines are loaded without these names. A stream needs the ids of its agents, so that of all agents is opened
  // once they are known.
  const { data: newest } = useFoundAgents('', isOfAll, MOST_FOLLOWED);
  const all = isOfAll && newest?.isAll ? newest.agents.map(({ id }) => id) : [];
  const followed = label === '' && chosen.length > 0 ? chosen : all;
  const named = useNamedAgents(followed);
  // another map would render all lines again
  const agentNames = useMemo(() => new Map(named.map(({ id, name }) => [id, name])), [named]);
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
  if (isOfAll && newest?.agents.length === 0) return <NoAgents />;
  return (
    <LogViewer
      agentNames={agentNames}
      pathsOf={(query) => pathsOf(query, chosen, { label, project_id }, followed)}
    >
      <AgentMultiSelect
        size="xs"
        flex="1 1 9rem"
        miw="9rem"
        maw="24rem"
        aria-label="Agents"
        placeholder={chosen.length === 0 ? 'All agents' : undefined}
        clearable
        maxValues={MOST_FOLLOWED}
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
  narrowing: { readonly label: string; readonly project_id: string | undefined },
  followed: readonly string[],
): LogPaths {
  const { since, until, ...rest } = query;
  const pathOf = (path: string, agentIds: readonly string[], more: object) => {
    const search = new URLSearchParams(Object.entries({ ...rest, ...more }).filter(([, value]) => value));
    for (const id of agentIds) search.append('agent_id', id);
    return `${path}?${search.toString()}`;
  };
  return {
    historyPath: pathOf('/api/dashboard/logs', chosen, { since, until, ...narrowing }),
    stream: canFollow(followed) ? pathOf('/api/dashboard/logs/stream', followed, {}) : null,
  };
}

interface LabelFilterProps {
  readonly value: string;
  readonly onChange: (label: string) => void;
}

/** A label as `key:value`; an incomplete one is no filter yet. */
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
