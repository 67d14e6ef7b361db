import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { LogRecord, Run, Span, SpanDetail } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';
import { isOpen } from './run-status.js';

/** The most that the service gives at once. */
const PAGE = 5_000;
/** Lines of a log that stand among the spans: the newest ones. */
const MOST_LINES = 500;
/** Interval in which the spans of an open run are read again; milliseconds. */
const REFRESH_MS = 10_000;
/** Time after a run's end in which its last spans and its usage arrive, because exporters send in groups; milliseconds. */
const LATE_MS = 30_000;

const spansPath = (runId: string) => `/api/dashboard/runs/${runId}/spans`;

/** Identity of a span: its id alone is unique in its trace only. */
export const spanKey = ({ trace_id: traceId, span_id: spanId }: Span): string => `${traceId}-${spanId}`;

/** The spans of a run in the order of their starts. They and the run's usage are read again while more may come. */
export function useRunSpans(run: Run): LoadedList<Span> {
  const client = useQueryClient();
  const { id, ended_at: endedAt } = run;
  const key = queryKeys.runs.spans(id);
  const isFollowed = isOpen(run);
  const readAgain = useEffectEvent(() => {
    void client.invalidateQueries({ queryKey: key });
    void client.invalidateQueries({ queryKey: queryKeys.runs.lines(id) });
    void client.invalidateQueries({ queryKey: queryKeys.runs.one(id) });
  });
  useEffect(() => {
    const mayGrow = () => endedAt === null || Date.now() - Date.parse(endedAt) < LATE_MS;
    if (!isFollowed && !mayGrow()) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') readAgain();
      if (!isFollowed && !mayGrow()) clearInterval(timer);
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isFollowed, endedAt]);
  return useList<Span>(key, withQuery(spansPath(id), { limit: PAGE }), {}, (span) => spanKey(span));
}

/** The newest lines of a run's log, if they are wanted. They are read again with its spans. */
export function useRunLines(runId: string, wanted: boolean): LoadedList<LogRecord> {
  const path = withQuery(`/api/dashboard/runs/${runId}/logs`, { limit: MOST_LINES });
  return useList<LogRecord>(queryKeys.runs.lines(runId), path, { enabled: wanted });
}

/** One span with its attributes and events. @param id its `id`: its `span_id` is unique in its trace only */
export const useSpan = (runId: string, id: string) =>
  useQuery({
    queryKey: queryKeys.runs.span(runId, id),
    queryFn: ({ signal }) => request<SpanDetail>('GET', `${spansPath(runId)}/${id}`, undefined, { signal }),
  });

/** The content of a span is read once, and forgotten as soon as no page shows it: the audit log has each reading. */
export const useSpanContent = (runId: string, id: string) =>
  useQuery({
    queryKey: queryKeys.runs.spanContent(runId, id),
    queryFn: async ({ signal }) =>
      (await request<SpanDetail>('GET', `${spansPath(runId)}/${id}?reveal=true`, undefined, { signal }))
        .content,
    staleTime: 'static',
    retry: false,
    gcTime: 0,
  });
