import {
  type Icon,
  IconAlertTriangle,
  IconArrowBackUp,
  IconCircleCheck,
  IconCircleDashed,
  IconClockHour4,
  IconHourglass,
  IconMessageCircle,
  IconPlayerPlay,
  IconPlayerStop,
  IconRepeat,
  IconSquareRoundedX,
  IconUnlink,
} from '@tabler/icons-react';
import type { RunEvent } from '@agent-control-plane/client';
import { useRunHistory } from '../../api/runs.js';
import { ActorLink } from '../../components/actor-link.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import { statusWord } from '../../components/run-words.js';
import type { Tone } from '../../components/status-badge.js';
import { TimelineItem, TimelineList } from '../../components/timeline-item.js';
import { MEANINGS } from './run-steps.js';

const SIGNS: Readonly<Record<RunEvent['event_type'], readonly [Icon, Tone]>> = {
  queued: [IconCircleDashed, 'quiet'],
  started: [IconPlayerPlay, 'busy'],
  waiting: [IconHourglass, 'warn'],
  resumed: [IconPlayerPlay, 'busy'],
  returned: [IconArrowBackUp, 'quiet'],
  cancel_requested: [IconPlayerStop, 'quiet'],
  loop_suspected: [IconRepeat, 'warn'],
  approval_decided: [IconMessageCircle, 'busy'],
  succeeded: [IconCircleCheck, 'good'],
  failed: [IconAlertTriangle, 'bad'],
  cancelled: [IconSquareRoundedX, 'quiet'],
  timed_out: [IconClockHour4, 'bad'],
  abandoned: [IconUnlink, 'bad'],
};

/** The run's history, newest step first. */
export function RunTimeline({ runId }: { readonly runId: string }) {
  const history = useRunHistory(runId);
  if (history.error) {
    return <ErrorNotice error={history.error} title="Couldn’t load the history" onRetry={history.refetch} />;
  }
  if (history.isPending) return <Pending rows={3} height={48} />;
  return (
    <>
      <TimelineList>
        {history.rows.map((event) => (
          <Step key={event.sequence} event={event} />
        ))}
      </TimelineList>
      <LoadMore list={history} label="Show older steps" />
    </>
  );
}

function Step({ event }: { readonly event: RunEvent }) {
  const { event_type: type, attempt, message } = event;
  const { title, means } = MEANINGS[type];
  const [sign, tone] = SIGNS[type];
  const isError = tone === 'bad';
  return (
    <TimelineItem
      event={event}
      sign={sign}
      tone={tone}
      title={title}
      wordOf={statusWord}
      message={message ? { text: message, label: isError ? 'Error message' : 'Message', isError } : null}
    >
      {means} · by <ActorLink of={event} />
      {attempt > 1 && <> · attempt {attempt}</>}
    </TimelineItem>
  );
}
