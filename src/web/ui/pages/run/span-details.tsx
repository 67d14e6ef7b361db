import { Drawer, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Run, Span } from '@agent-control-plane/client';
import { useSpan } from '../../api/spans.js';
import { EntityId } from '../../components/entity-id.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Fact, FactList } from '../../components/fact-list.js';
import { JsonView } from '../../components/json-view.js';
import { Notice } from '../../components/notice.js';
import { Pending } from '../../components/pending.js';
import { TimeAgo } from '../../components/time-ago.js';
import { SpanContent } from './span-content.js';
import { costText, numberText } from '../../components/amounts.js';
import { useLast } from '../../components/use-last.js';
import { KINDS, spanDuration } from './span-words.js';
import classes from './run-page.module.css';

interface SpanDetailsProps {
  readonly run: Run;
  /** The selected span; null: the drawer is closed. */
  readonly span: Span | null;
  readonly onClose: () => void;
}

/** One span, with its attributes and events. */
export function SpanDetails({ run, span, onClose }: SpanDetailsProps) {
  const shown = useLast(span);
  return (
    <Drawer opened={span !== null} onClose={onClose} position="right" size="lg" title={shown?.name}>
      {shown && <Details key={shown.id} run={run} span={shown} />}
    </Drawer>
  );
}

function Details({ run, span }: { readonly run: Run; readonly span: Span }) {
  return (
    <Stack>
      {span.status === 'error' && (
        <Notice tone="bad" icon={IconAlertTriangle} title={span.error_type ?? 'It failed'}>
          <p className={classes.error} tabIndex={0} role="group" aria-label="Error message">
            {span.error_message ?? 'Its program gave no reason.'}
          </p>
        </Notice>
      )}
      <SpanFacts span={span} />
      <Particulars run={run} id={span.id} />
    </Stack>
  );
}

function SpanFacts({ span }: { readonly span: Span }) {
  const { model, provider, tool, usage } = span;
  return (
    <FactList label="Facts about the span">
      <Fact term="Kind">{KINDS[span.kind]}</Fact>
      {model !== null && <Fact term="Model">{model}</Fact>}
      {provider !== null && <Fact term="Provider">{provider}</Fact>}
      {tool !== null && <Fact term="Tool">{tool}</Fact>}
      <Fact term="Started">
        <TimeAgo at={span.started_at} />
      </Fact>
      <Fact term="Took">{spanDuration(span.duration_ms)}</Fact>
      {usage !== null && (
        <>
          <Fact term="Input tokens">{numberText(usage.input_tokens)}</Fact>
          <Fact term="Cache reads">{numberText(usage.cache_read_tokens)}</Fact>
          <Fact term="Cache writes">{numberText(usage.cache_write_tokens)}</Fact>
          <Fact term="Output tokens">{numberText(usage.output_tokens)}</Fact>
          <Fact term="Reasoning tokens">{numberText(usage.reasoning_tokens)}</Fact>
          {usage.cost_usd !== null && <Fact term="Cost">{costText(usage.cost_usd)}</Fact>}
        </>
      )}
      <Fact term="Span id">
        <EntityId id={span.span_id} what="span id" />
      </Fact>
      <Fact term="Trace id">
        <EntityId id={span.trace_id} what="trace id" />
      </Fact>
    </FactList>
  );
}

function Particulars({ run, id }: { readonly run: Run; readonly id: string }) {
  const { data, error, refetch } = useSpan(run.id, id);
  if (error) {
    return <ErrorNotice error={error} title="Couldn’t load the rest" onRetry={() => void refetch()} />;
  }
  if (!data) return <Pending rows={2} height={60} />;
  return (
    <>
      <Part title="Attributes" value={data.attributes} />
      <Part title="Events" value={data.events} />
      {data.has_content && <SpanContent runId={run.id} projectId={run.project_id} id={id} />}
    </>
  );
}

function Part({ title, value }: { readonly title: string; readonly value: object | null }) {
  return (
    <section className={classes.section}>
      <h3 className={classes.title}>{title}</h3>
      {value === null || Object.keys(value).length === 0 ? (
        <span>None are stored.</span>
      ) : (
        <JsonView value={value} what={title.toLowerCase()} />
      )}
    </section>
  );
}
