import { useDidUpdate } from '@mantine/hooks';
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { LogRecord, Run, RunEvent, RunStreamItem } from '@agent-control-plane/client';
import { type SharedStream, useLiveStream } from './live.js';
import { queryKeys } from './query-keys.js';
import type { Page } from './request.js';
import { isOpen } from './run-status.js';
import { StreamPart } from './stream-part.js';

/** Pause between two reads of a run while its stream is lost; milliseconds. */
const WITHOUT_STREAM_MS = 10_000;

/**
 * Keeps the data of a run up to date by its stream, until it ends. A step is a reason to read the run again, because no event has
 * its output; progress and log lines come with the stream alone.
 *
 * @returns its log lines; null: no more of them will come
 */
export function useFollowedRun(run: Run): SharedStream<LogRecord> | null {
  const client = useQueryClient();
  const { id } = run;
  const [isOver, setOver] = useState(!isOpen(run));
  const [isLost, setLost] = useState(false);
  const [log] = useState(() => new StreamPart<LogRecord>());
  const readAgain = () => {
    void client.invalidateQueries({ queryKey: queryKeys.runs.one(id) });
    void client.invalidateQueries({ queryKey: queryKeys.runs.history(id) });
  };
  useLiveStream<RunStreamItem>(isOver ? null : `/api/dashboard/runs/${id}/stream?from=now`, {
    onData: ({ event, log: line, progress }) => {
      if (event) takeStep(client, event);
      if (progress) change(client, id, { progress });
      if (line) log.pass(line);
    },
    onOpen: (mayHaveMissed) => {
      setLost(false);
      if (mayHaveMissed) readAgain();
      log.opened(mayHaveMissed);
    },
    onLost: () => {
      setLost(true);
      log.lost();
    },
    onEnd: () => {
      setOver(true);
      readAgain();
    },
  });
  const onTurn = useEffectEvent(readAgain);
  useEffect(() => {
    if (!isLost || isOver) return undefined;
    const timer = setInterval(() => onTurn(), WITHOUT_STREAM_MS);
    return () => clearInterval(timer);
  }, [isLost, isOver]);
  // the real end of a run whose end was presumed comes after that of the stream
  useDidUpdate(() => {
    if (isOver) void client.invalidateQueries({ queryKey: queryKeys.runs.history(id) });
  }, [run.status]);
  return isOver ? null : log;
}

function change(client: QueryClient, id: string, part: Partial<Run>): void {
  client.setQueryData<Run>(queryKeys.runs.one(id), (known) => known && { ...known, ...part });
}

/** Shows a step at once, and reads what else it has changed. */
function takeStep(client: QueryClient, event: RunEvent): void {
  const { run_id: id, status, attempt } = event;
  change(client, id, { status, attempt });
  void client.invalidateQueries({ queryKey: queryKeys.runs.one(id) });
  const queryKey = queryKeys.runs.history(id);
  // a list that is being read may not have the step
  if (client.isFetching({ queryKey }) > 0) return void client.invalidateQueries({ queryKey });
  client.setQueryData<InfiniteData<Page<RunEvent>>>(queryKey, (known) => known && withStep(known, event));
}

function withStep(known: InfiniteData<Page<RunEvent>>, event: RunEvent): InfiniteData<Page<RunEvent>> {
  const [first, ...others] = known.pages;
  if (!first || first.rows.some(({ id }) => id === event.id)) return known;
  return { ...known, pages: [{ ...first, rows: [event, ...first.rows] }, ...others] };
}
