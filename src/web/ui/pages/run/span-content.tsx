import { Text } from '@mantine/core';
import { useState } from 'react';
import { useSpanContent } from '../../api/spans.js';
import { counted } from '../../components/counted.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { JsonView } from '../../components/json-view.js';
import { Pending } from '../../components/pending.js';
import { useRefusals } from '../../components/required-role.js';
import classes from './run-page.module.css';

interface SpanContentProps {
  readonly runId: string;
  readonly projectId: string;
  /** The span's `id`. */
  readonly id: string;
}

/** The content of a span's messages or tool, folded: the service records each look. */
export function SpanContent(props: SpanContentProps) {
  const [isOpen, setOpen] = useState(false);
  const refusalIn = useRefusals();
  return (
    <section className={classes.section}>
      <h3 className={classes.title}>Content</h3>
      <Text size="sm" c="dimmed" mb="xs">
        {isOpen ? 'This access is recorded in the audit log.' : 'Each access is recorded in the audit log.'}
      </Text>
      <GuardedButton
        variant="default"
        refusal={refusalIn(props.projectId, 'agents')}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide content' : 'Show content'}
      </GuardedButton>
      {isOpen && <Shown {...props} />}
    </section>
  );
}

/** The content is read when this is mounted, and forgotten when it is gone. */
function Shown({ runId, id }: SpanContentProps) {
  const { data, error } = useSpanContent(runId, id);
  if (error) return <ErrorNotice error={error} title="The content was not shown" />;
  if (data === undefined) return <Pending rows={2} height={60} />;
  if (data === null) return <Text size="sm">It is no longer stored.</Text>;
  const { attributes, events, dropped_events: dropped, omitted } = data;
  return (
    <>
      {omitted !== null && <Text size="sm">Left out: {omitted}.</Text>}
      {attributes !== null && <JsonView value={attributes} what="content" />}
      {events !== null && <JsonView value={events} what="content of events" />}
      {dropped > 0 && <Text size="sm">{counted(dropped, 'event')} had no room.</Text>}
    </>
  );
}
