import { Checkbox } from '@mantine/core';
import { IconTimeline } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import type { LogRecord, Run, Span } from '@agent-control-plane/client';
import type { LoadedList } from '../../api/lists.js';
import { isOpen } from '../../api/run-status.js';
import { useRunLines, useRunSpans } from '../../api/spans.js';
import { numberText } from '../../components/amounts.js';
import { DocsButton } from '../../components/docs-button.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import { LineDetails } from './line-details.js';
import { SpanDetails } from './span-details.js';
import { isLine, type WaterfallRow } from './span-rows.js';
import { SpanWaterfall } from './span-waterfall.js';

/** Spans that are read without being asked for. A reply may have fewer, because its length is limited. */
const READ_AT_FIRST = 5_000;
const NO_LINES: readonly LogRecord[] = [];

/** The acts of the agent's program for the run: a waterfall, with the details of a span next to it. */
export function RunSpans({ run }: { readonly run: Run }) {
  const spans = useRunSpans(run);
  useFirstParts(spans);
  const [withLines, setWithLines] = useState(false);
  const lines = useRunLines(run.id, withLines);
  const [selected, select] = useState<WaterfallRow | null>(null);
  const close = () => select(null);
  if (spans.error) {
    return <ErrorNotice error={spans.error} title="Couldn’t load the spans" onRetry={spans.refetch} />;
  }
  if (spans.isPending) return <Pending rows={6} height={32} />;
  if (spans.rows.length === 0) return <NoSpans isOpen={isOpen(run)} />;
  return (
    <>
      <Checkbox
        mb="sm"
        size="sm"
        label={
          withLines && lines.hasMore ? `The newest ${numberText(lines.rows.length)} log lines` : 'Log lines'
        }
        checked={withLines}
        onChange={({ currentTarget }) => setWithLines(currentTarget.checked)}
      />
      {withLines && lines.error && (
        <ErrorNotice error={lines.error} title="Couldn’t load the log" onRetry={lines.refetch} />
      )}
      <SpanWaterfall
        spans={spans.rows}
        hasMore={spans.hasMore}
        lines={withLines ? lines.rows : NO_LINES}
        onOpen={select}
      />
      <LoadMore list={spans} label="Show later spans" />
      <SpanDetails run={run} span={selected && !isLine(selected) ? selected.span : null} onClose={close} />
      <LineDetails line={selected && isLine(selected) ? selected.line : null} onClose={close} />
    </>
  );
}

/** Reads on after each part, and not after a failure: then the button for more remains. */
function useFirstParts({ rows, hasMore, loadMore }: LoadedList<Span>): void {
  const readOn = useEffectEvent(loadMore);
  useEffect(() => {
    if (hasMore && rows.length < READ_AT_FIRST) readOn();
  }, [hasMore, rows.length]);
}

function NoSpans({ isOpen: isOpenRun }: { readonly isOpen: boolean }) {
  return (
    <EmptyState icon={IconTimeline} title={isOpenRun ? 'No spans yet' : 'No spans'} action={<DocsButton />}>
      LLM and tool calls appear here if the agent’s program sends its traces with OpenTelemetry to{' '}
      <code>/otlp</code>, which <code>svc run</code> sets up. Older ones are removed.
    </EmptyState>
  );
}
