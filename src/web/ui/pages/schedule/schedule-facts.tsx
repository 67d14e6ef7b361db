import type { Schedule } from '@agent-control-plane/client';
import { durationText } from '../../components/duration.js';
import { Fact, FactList, LabelsFact } from '../../components/fact-list.js';
import { catchUpWord, overlapWord } from '../../components/schedule-words.js';
import { TimeAgo } from '../../components/time-ago.js';

/** The rules of the schedule and of its runs. */
export function ScheduleFacts({ schedule }: { readonly schedule: Schedule }) {
  const { max_attempts: attempts, first_delay_seconds: pause, abandoned } = schedule.retry;
  return (
    <FactList>
      <Fact term="While the previous run is still going">{overlapWord(schedule.overlap)}</Fact>
      <Fact term="Missed runs">{catchUpWord(schedule.catch_up)}</Fact>
      <Fact term="Priority">{schedule.priority}</Fact>
      <Fact term="Time limit">
        {schedule.timeout_seconds === null ? 'none' : durationText(schedule.timeout_seconds * 1_000)}
      </Fact>
      <Fact term="Attempts">
        {attempts === 1
          ? '1'
          : `${attempts}, after ${durationText(pause * 1_000)}${abandoned ? ', of abandoned runs too' : ''}`}
      </Fact>
      <Fact term="Created">
        <TimeAgo at={schedule.created_at} />
      </Fact>
      <LabelsFact labels={schedule.labels} />
    </FactList>
  );
}
