import { Button, CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { LogRecord } from '@agent-control-plane/client';
import { withQuery } from '../api/request.js';
import { useLogHistory } from './log-history.js';
import { LogLines } from './log-lines.js';
import classes from './log-viewer.module.css';

const LEVELS: readonly LogRecord['level'][] = ['debug', 'info', 'warning', 'error', 'critical'];
const TYPING_MS = 350;

export interface LogViewerProps {
  readonly agentId: string;
  /** Deployment whose lines are shown; absent: all of the agent. */
  readonly deploymentId?: string;
}

/** Live log viewer. The service filters, so that a search also finds lines that are not loaded. */
export function LogViewer({ agentId, deploymentId }: LogViewerProps) {
  const [level, setLevel] = useState<string | null>(null);
  const [text, setText] = useState('');
  const [isPaused, setPaused] = useState(false);
  const [q] = useDebouncedValue(text.trim(), TYPING_MS);
  const filter = { level: level ?? undefined, q };
  const owner = deploymentId === undefined ? `agents/${agentId}` : `deployments/${deploymentId}`;
  const source = {
    historyPath: withQuery(`/api/dashboard/${owner}/logs`, filter),
    streamPath: withQuery(`/api/dashboard/agents/${agentId}/logs/stream`, {
      ...filter,
      deployment_id: deploymentId,
    }),
  };
  return (
    <section className={classes.viewer} aria-label="Logs">
      <Group gap="xs" p="xs">
        <TextInput
          className={classes.search}
          size="xs"
          aria-label="Search in the log"
          placeholder="Search"
          maxLength={200}
          leftSection={<IconSearch size={15} aria-hidden />}
          rightSection={
            text !== '' && <CloseButton size="xs" aria-label="Clear the search" onClick={() => setText('')} />
          }
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Select
          size="xs"
          w={130}
          aria-label="Level"
          placeholder="All levels"
          clearable
          data={[...LEVELS]}
          value={level}
          onChange={setLevel}
        />
        <Button
          size="xs"
          variant="default"
          ml="auto"
          leftSection={
            isPaused ? <IconPlayerPlay size={15} aria-hidden /> : <IconPlayerPause size={15} aria-hidden />
          }
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </Group>
      {/* another filter is another log */}
      <Followed
        key={source.streamPath}
        source={source}
        isPaused={isPaused}
        isFiltered={level !== null || q !== ''}
      />
    </section>
  );
}

interface FollowedProps {
  readonly source: { readonly historyPath: string; readonly streamPath: string };
  readonly isPaused: boolean;
  readonly isFiltered: boolean;
}

function Followed({ source, isPaused, isFiltered }: FollowedProps) {
  const history = useLogHistory(source, isPaused);
  return <LogLines history={history} isPaused={isPaused} isFiltered={isFiltered} />;
}
